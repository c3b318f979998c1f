package dev.semel.wire;

import dev.semel.store.NewTask;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;

/** The forms of submissions and their answers. */
final class SubmitForms {

    static final Form<SubmitRequest> REQUEST = Form.object(SubmitForms::write, SubmitForms::request);

    static final Form<Submitted> ANSWER = Form.object(SubmitForms::write, SubmitForms::answer);

    private static final Form<ExistingTask> EXISTING = Form.object(
            (out, task) -> out.beginObject()
                    .member("task", task.taskId())
                    .member("type", task.type())
                    .member("run", task.run())
                    .member("state", Word.of(task.state()))
                    .member("input_hash", task.inputHash(), TaskForms.HASH)
                    .member("created_at", task.createdAt())
                    .member("finished_at", task.finishedAt())
                    .member("data_gone", task.dataGone())
                    .member("input", task.input())
                    .member("result", task.result())
                    .endObject(),
            in -> new ExistingTask(
                    in.id("task"),
                    in.text("type"),
                    in.integer("run"),
                    in.word("state", TaskState.class),
                    in.get("input_hash", TaskForms.HASH),
                    in.time("created_at"),
                    in.timeOrNull("finished_at"),
                    in.flag("data_gone"),
                    in.textOrNull("input"),
                    in.textOrNull("result")));

    private SubmitForms() {}

    private static void write(JsonOutput out, SubmitRequest request) {
        switch (request) {
            case NewTask task -> TaskForms.members(out.kind("task"), task);
            case SubmitRequest.Cancel(TaskId task) ->
                out.kind("cancel").member("task", task).endObject();
            case SubmitRequest.Signal signal ->
                out.kind("signal")
                        .member("task", signal.taskId())
                        .member("key", signal.key())
                        .member("name", signal.name())
                        .member("document", signal.document())
                        .endObject();
            case SubmitRequest.SignalWithStart start ->
                out.kind("signal_with_start")
                        .member("task", start.task(), TaskForms.NEW_TASK)
                        .member("key", start.key())
                        .member("name", start.name())
                        .member("document", start.document())
                        .endObject();
        }
    }

    private static SubmitRequest request(JsonObject in) {
        return switch (in.kind()) {
            case "task" -> TaskForms.newTask(in);
            case "cancel" -> new SubmitRequest.Cancel(in.id("task"));
            case "signal" ->
                new SubmitRequest.Signal(in.id("task"), in.text("key"), in.text("name"), in.textOrNull("document"));
            case "signal_with_start" ->
                new SubmitRequest.SignalWithStart(
                        in.get("task", TaskForms.NEW_TASK), in.text("key"), in.text("name"), in.textOrNull("document"));
            default -> throw Misread.unknown("a kind of submission", in.kind());
        };
    }

    private static void write(JsonOutput out, Submitted answer) {
        switch (answer) {
            case Submitted.Created created ->
                out.kind("created")
                        .member("task", created.taskId())
                        .member("run", created.run())
                        .member("state", Word.of(created.state()))
                        .member("created_at", created.createdAt())
                        .endObject();
            case Submitted.Returned(ExistingTask existing, boolean differs) ->
                out.kind("returned")
                        .member("existing", existing, EXISTING)
                        .member("input_differs", differs)
                        .endObject();
            case Submitted.Rejected(ExistingTask existing, boolean differs) ->
                out.kind("rejected")
                        .member("existing", existing, EXISTING)
                        .member("input_differs", differs)
                        .endObject();
            case Submitted.Conflicted(ExistingTask existing) ->
                out.kind("conflicted").member("existing", existing, EXISTING).endObject();
            case Submitted.Busy() -> out.kind("busy").endObject();
            case Submitted.Cancellation cancellation ->
                out.kind("cancellation").member("answer", Word.of(cancellation)).endObject();
            case Submitted.Signalled signalled ->
                out.kind("signalled").member("answer", Word.of(signalled)).endObject();
        }
    }

    private static Submitted answer(JsonObject in) {
        return switch (in.kind()) {
            case "created" ->
                new Submitted.Created(
                        in.id("task"), in.integer("run"), in.word("state", TaskState.class), in.time("created_at"));
            case "returned" -> new Submitted.Returned(in.get("existing", EXISTING), in.flag("input_differs"));
            case "rejected" -> new Submitted.Rejected(in.get("existing", EXISTING), in.flag("input_differs"));
            case "conflicted" -> new Submitted.Conflicted(in.get("existing", EXISTING));
            case "busy" -> new Submitted.Busy();
            case "cancellation" -> in.word("answer", Submitted.Cancellation.class);
            case "signalled" -> in.word("answer", Submitted.Signalled.class);
            default -> throw Misread.unknown("a kind of answer to a submission", in.kind());
        };
    }
}
