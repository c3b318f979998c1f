package dev.semel.wire;

import dev.semel.store.EffectOutcome;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The forms of settlements. */
final class SettleForms {

    static final Form<Settlement> REQUEST = Form.object(SettleForms::write, SettleForms::settlement);

    private static final Form<NewLine> LINE = Form.object(SettleForms::write, SettleForms::line);

    private static final Form<EffectOutcome> OUTCOME = Form.object(SettleForms::write, SettleForms::outcome);

    private static final Form<Integer> NUMBER = Form.text(String::valueOf, SettleForms::number);

    private SettleForms() {}

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw Misread.wrong("expected the number of an entry, but got \"" + Limits.shown(text) + "\"");
        }
    }

    private static JsonOutput begin(JsonOutput out, String kind, Lease lease) {
        return out.kind(kind).member("lease", lease, TaskForms.LEASE);
    }

    private static void write(JsonOutput out, Settlement settlement) {
        switch (settlement) {
            case Settlement.Ending ending -> write(out, ending);
            case Settlement.Advance(Lease lease, int first, List<NewLine> lines) ->
                begin(out, "advance", lease)
                        .member("first", first)
                        .list("lines", lines, LINE)
                        .endObject();
            case Settlement.Extend(Lease lease, Duration duration) ->
                begin(out, "extend", lease).member("duration", duration).endObject();
            case Settlement.Intend(Lease lease, EffectId effect, @Nullable Duration window) ->
                begin(out, "intend", lease)
                        .member("effect", effect, EffectForms.ID)
                        .member("window", window)
                        .endObject();
            case Settlement.Refer(Lease lease, EffectId effect, String reason) ->
                begin(out, "refer", lease)
                        .member("effect", effect, EffectForms.ID)
                        .member("reason", reason)
                        .endObject();
            case Settlement.Conclude(Lease lease, EffectId effect, EffectOutcome outcome) ->
                begin(out, "conclude", lease)
                        .member("effect", effect, EffectForms.ID)
                        .member("outcome", outcome, OUTCOME)
                        .endObject();
        }
    }

    private static void write(JsonOutput out, Settlement.Ending ending) {
        switch (ending) {
            case Settlement.Complete complete ->
                begin(out, "complete", complete.lease())
                        .member("result", complete.result())
                        .endObject();
            case Settlement.Retry(Lease lease, Duration delay, String error) ->
                begin(out, "retry", lease)
                        .member("delay", delay)
                        .member("error", error)
                        .endObject();
            case Settlement.Fail(Lease lease, boolean timedOut, String error) ->
                begin(out, "fail", lease)
                        .member("timed_out", timedOut)
                        .member("error", error)
                        .endObject();
            case Settlement.PutBack(Lease lease, Duration delay) ->
                begin(out, "put_back", lease).member("delay", delay).endObject();
            case Settlement.Cancelled(Lease lease) ->
                begin(out, "cancelled", lease).endObject();
            case Settlement.Park(Lease lease, EffectId effect, String reason) ->
                begin(out, "park", lease)
                        .member("effect", effect, EffectForms.ID)
                        .member("reason", reason)
                        .endObject();
            case Settlement.Wait wait ->
                begin(out, "wait", wait.lease())
                        .member("seen", wait.seen())
                        .member("more", wait.more())
                        .member("wake_at", wait.wakeAt())
                        .member("error", wait.error())
                        .endObject();
            case Settlement.Continue next ->
                begin(out, "continue", next.lease())
                        .member("seen", next.seen())
                        .list("unread", next.unread(), NUMBER)
                        .member("input", next.input())
                        .member("since", next.since())
                        .endObject();
        }
    }

    private static Settlement settlement(JsonObject in) {
        Lease lease = in.get("lease", TaskForms.LEASE);
        return switch (in.kind()) {
            case "complete" -> new Settlement.Complete(lease, in.textOrNull("result"));
            case "retry" -> new Settlement.Retry(lease, in.duration("delay"), in.text("error"));
            case "fail" -> new Settlement.Fail(lease, in.flag("timed_out"), in.text("error"));
            case "put_back" -> new Settlement.PutBack(lease, in.duration("delay"));
            case "cancelled" -> new Settlement.Cancelled(lease);
            case "park" -> new Settlement.Park(lease, in.get("effect", EffectForms.ID), in.text("reason"));
            case "wait" ->
                new Settlement.Wait(
                        lease,
                        in.integer("seen"),
                        in.integer("more"),
                        in.timeOrNull("wake_at"),
                        in.textOrNull("error"));
            case "continue" ->
                new Settlement.Continue(
                        lease, in.integer("seen"), in.list("unread", NUMBER), in.text("input"), in.time("since"));
            case "advance" -> new Settlement.Advance(lease, in.integer("first"), in.list("lines", LINE));
            case "extend" -> new Settlement.Extend(lease, in.duration("duration"));
            case "intend" ->
                new Settlement.Intend(lease, in.get("effect", EffectForms.ID), in.durationOrNull("window"));
            case "refer" -> new Settlement.Refer(lease, in.get("effect", EffectForms.ID), in.text("reason"));
            case "conclude" ->
                new Settlement.Conclude(lease, in.get("effect", EffectForms.ID), in.get("outcome", OUTCOME));
            default -> throw Misread.unknown("a kind of settlement", in.kind());
        };
    }

    private static void write(JsonOutput out, NewLine line) {
        switch (line) {
            case NewLine.Note(HistoryLine.Kind kind, String name, @Nullable String document) ->
                out.kind("note")
                        .member("line_kind", kind.word())
                        .member("name", name)
                        .member("document", document)
                        .endObject();
            case NewLine.Step(NewTask task) ->
                out.kind("step").member("task", task, TaskForms.NEW_TASK).endObject();
            case NewLine.Abandon(String name, TaskId step) ->
                out.kind("abandon").member("name", name).member("step", step).endObject();
            case NewLine.Answer answer ->
                out.kind("answer")
                        .member("document", answer.document())
                        .member("question", answer.question())
                        .member("answer", answer.answer())
                        .member("rejection", answer.rejection())
                        .endObject();
        }
    }

    private static NewLine line(JsonObject in) {
        return switch (in.kind()) {
            case "note" ->
                new NewLine.Note(
                        in.word("line_kind", HistoryLine.Kind.class), in.text("name"), in.textOrNull("document"));
            case "step" -> new NewLine.Step(in.get("task", TaskForms.NEW_TASK));
            case "answer" ->
                new NewLine.Answer(
                        in.text("document"), in.text("question"), in.textOrNull("answer"), in.textOrNull("rejection"));
            case "abandon" -> new NewLine.Abandon(in.text("name"), in.id("step"));
            default -> throw Misread.unknown("a kind of line", in.kind());
        };
    }

    private static void write(JsonOutput out, EffectOutcome outcome) {
        switch (outcome) {
            case EffectOutcome.Done(@Nullable String result, EffectOutcome.How how) ->
                out.kind("done")
                        .member("result", result)
                        .member("how", how.word())
                        .endObject();
            case EffectOutcome.NotDone(String reason, EffectOutcome.How how) ->
                out.kind("not_done")
                        .member("reason", reason)
                        .member("how", how.word())
                        .endObject();
        }
    }

    private static EffectOutcome outcome(JsonObject in) {
        EffectOutcome.How how = in.word("how", EffectOutcome.How.class);
        return switch (in.kind()) {
            case "done" -> new EffectOutcome.Done(in.textOrNull("result"), how);
            case "not_done" -> new EffectOutcome.NotDone(in.text("reason"), how);
            default -> throw Misread.unknown("a kind of outcome", in.kind());
        };
    }
}
