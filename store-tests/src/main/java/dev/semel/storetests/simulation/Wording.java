package dev.semel.storetests.simulation;

import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.task.Identity;
import dev.semel.task.ReusePolicy;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Trace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Short texts of calls and answers: the same in every run, so without anything that depends on hashing or stack traces. */
final class Wording {

    private final Trace trace;

    Wording(Trace trace) {
        this.trace = trace;
    }

    String of(Call<?> call) {
        return switch (call) {
            case Call.Submit submit ->
                "submit " + submit.batch().stream().map(this::ofItem).collect(Collectors.joining("; "));
            case Call.Claim claim -> {
                var request = claim.request();
                yield (request.repeated() ? "claim again #" : "claim #") + Long.toHexString(request.claim()) + " of "
                        + new TreeSet<>(request.queues()) + " up to " + request.limit() + " (suspects "
                        + request.suspects() + ") for " + request.lease();
            }
            case Call.Settle settle -> settle.batch().stream().map(this::of).collect(Collectors.joining("; "));
            case Call.Operate operate -> operate.batch().stream().map(this::of).collect(Collectors.joining("; "));
            case Call.Find find ->
                "read " + find.ids().stream().map(trace::name).collect(Collectors.joining(", "));
            case Call.ReadHistories read -> "read the history of " + read.queries();
            case Call.ReadEffects read ->
                "read effects of " + read.lineages().stream().map(trace::name).collect(Collectors.joining(", "));
            case Call.ListEffects list ->
                "list effects " + new TreeSet<>(list.query().states());
            case Call.ListTasks list -> "list " + new TreeSet<>(list.query().states());
            case Call.LookUp lookUp -> "look up " + of(lookUp.identity());
            case Call.ReadDue due -> "read up to " + due.limit() + " due schedules";
            case Call.Sweep sweep ->
                "sweep after " + sweep.request().retention() + ", dead after "
                        + sweep.request().deadRetention() + ", up to "
                        + sweep.request().limit();
        };
    }

    String of(NewTask item) {
        NewTask.KeyRequest key = item.key();
        return trace.name(item.id()) + " " + item.tenant() + "/" + item.queue() + "/" + item.type() + " " + item.input()
                + " " + item.start()
                + (item.options().mutex() == null
                        ? ""
                        : " mutex " + item.options().mutex())
                + (key == null ? "" : " key " + of(key.identity()) + " ttl " + key.ttl() + " " + of(key.policy()));
    }

    private static String of(ReusePolicy policy) {
        return "open:" + policy.pending() + "/completed:" + policy.completed() + "/else:" + policy.failed() + "/"
                + policy.otherInput();
    }

    String of(Identity identity) {
        return identity.tenant() + "|" + identity.scopeKind() + ":" + identity.scopeName() + "|" + identity.key();
    }

    String of(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Complete complete -> "complete " + lease(complete) + " " + complete.result();
            case Settlement.Retry retry -> "retry " + lease(retry) + " in " + retry.delay();
            case Settlement.Fail fail -> (fail.timedOut() ? "time out " : "fail ") + lease(fail);
            case Settlement.PutBack putBack -> "put back " + lease(putBack) + " for " + putBack.delay();
            case Settlement.Cancelled cancelled -> "end as cancelled " + lease(cancelled);
            case Settlement.Extend extend -> "extend " + lease(extend) + " by " + extend.duration();
            case Settlement.Park park ->
                "park " + lease(park) + " for " + park.effect().label();
            case Settlement.Wait wait ->
                "wait " + lease(wait) + " for " + wait.more() + " after " + wait.seen() + " until " + wait.wakeAt();
            case Settlement.Continue next ->
                "continue as new " + lease(next) + " after " + next.seen() + " with unread " + next.unread();
            case Settlement.Advance advance ->
                "advance " + lease(advance) + " from " + advance.first() + " " + advance.lines();
            case Settlement.Intend intend -> "intend " + intend.effect().label() + " " + lease(intend);
            case Settlement.Refer refer ->
                "refer " + refer.effect().label() + " " + lease(refer) + " because " + refer.reason();
            case Settlement.Conclude conclude ->
                "conclude " + conclude.effect().label() + " " + lease(conclude) + " as " + conclude.outcome();
        };
    }

    String of(Operation operation) {
        return switch (operation) {
            case Operation.Resolve resolve ->
                "resolve " + resolve.effect().label() + " left by "
                        + trace.name(resolve.left().taskId()) + "/"
                        + resolve.left().attempt() + " as "
                        + resolve.resolution().verdict().word();
            case Operation.Cancel cancel -> "cancel " + trace.name(cancel.taskId());
            case Operation.Redrive redrive -> "redrive " + trace.name(redrive.taskId()) + "/" + redrive.attempt();
            case Operation.Restart restart ->
                "restart " + trace.name(restart.taskId()) + " from line " + restart.from() + " after generation "
                        + restart.generation();
            case Operation.ReleaseKey release ->
                "release " + of(release.identity()) + " of " + trace.name(release.taskId());
            case Operation.Erase erase -> "erase " + trace.name(erase.taskId());
            case Operation.DeclareQueue declare -> "declare " + declare.queue() + " as " + of(declare.settings());
            case Operation.SetQueue set -> "set " + set.queue() + " to " + of(set.changes());
            case Operation.ChangeSchedule change ->
                "change schedule " + change.id().tenant() + "/" + change.id().name() + " from " + change.expected()
                        + " to " + change.next() + ", create "
                        + change.create().stream().map(this::of).collect(Collectors.joining(", ")) + ", cancel "
                        + change.cancel().stream().map(trace::name).collect(Collectors.joining(", "));
            case Operation.ResetQueue reset -> "reset " + reset.queue();
        };
    }

    /** Only what they say. */
    private static String of(QueueSettings settings) {
        return Stream.of(
                        settings.paused() == null ? "" : settings.isPaused() ? "paused" : "not paused",
                        settings.rateLimit() == null ? "" : settings.rateLimit().text(),
                        settings.concurrency() == null ? "" : "concurrency " + settings.concurrency(),
                        settings.retention() == null ? "" : "retention " + settings.retention(),
                        settings.deadLetterQueue() == null ? "" : "dead letters to " + settings.deadLetterQueue())
                .filter(said -> !said.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private String lease(Settlement settlement) {
        return trace.name(settlement.lease().taskId()) + "/"
                + settlement.lease().attempt();
    }

    /** An answer, by its class. */
    String ofAnswer(Object answer) {
        return switch (answer) {
            case Claims claims ->
                (claims.tasks().isEmpty()
                                ? "nothing"
                                : claims.tasks().stream().map(this::of).collect(Collectors.joining(", ")))
                        + ", next in " + claims.nextDue();
            case List<?> list ->
                list.isEmpty() ? "nothing" : list.stream().map(this::ofItem).collect(Collectors.joining("; "));
            case Map<?, ?> map ->
                map.isEmpty()
                        ? "nothing"
                        : map.values().stream().map(this::ofItem).collect(Collectors.joining("; "));
            case EffectPage page -> ofAnswer(page.effects());
            case Optional<?> found -> found.isPresent() ? "found" : "nothing";
            case Swept swept ->
                swept.tasks() + " tasks, " + swept.records() + " records" + (swept.more() ? ", more" : "");
            default -> answer.toString();
        };
    }

    private String of(Claimed claimed) {
        int vanished = claimed.task().progress().vanished();
        return trace.name(claimed.task().id()) + "/" + claimed.lease().attempt()
                + (vanished > 0 ? " vanished " + vanished : "");
    }

    /** One item of a batch or of its answer, by its class. */
    String ofItem(Object item) {
        return switch (item) {
            case NewTask task -> of(task);
            case SubmitRequest.Cancel cancel -> "cancel " + trace.name(cancel.taskId());
            case SubmitRequest.Signal signal -> "signal " + trace.name(signal.taskId()) + " " + signal.name();
            case SubmitRequest.SignalWithStart start ->
                "start " + trace.name(start.task().id()) + " with signal " + start.name();
            case Settlement settlement -> of(settlement);
            case Operation operation -> of(operation);
            case Enum<?> answer -> answer.name();
            case Task task -> of(task);
            case EffectRecord effect ->
                trace.name(effect.id().lineage()) + " " + effect.id().label() + " " + effect.state() + " by "
                        + trace.name(effect.by().taskId()) + "/" + effect.by().attempt()
                        + (effect.result() == null ? "" : " " + effect.result());
            case List<?> list -> list.stream().map(this::ofItem).collect(Collectors.joining(", "));
            case Submitted.Created created ->
                "created " + trace.name(created.taskId()) + " run " + created.run() + " " + created.state();
            case Submitted.Returned returned ->
                "returned " + of(returned.existing()) + (returned.inputDiffers() ? ", input differs" : "");
            case Submitted.Rejected rejected -> "rejected for " + of(rejected.existing());
            case Submitted.Conflicted conflicted -> "conflict with " + of(conflicted.existing());
            default -> item.toString();
        };
    }

    String of(Task task) {
        return trace.name(task.id()) + " " + task.state() + " attempt "
                + task.progress().attempt()
                + (task.progress().result() == null ? "" : " " + task.progress().result());
    }

    private String of(ExistingTask existing) {
        return trace.name(existing.taskId()) + " run " + existing.run() + " " + existing.state()
                + (existing.dataGone() ? ", data gone" : "")
                + (existing.result() == null ? "" : " " + existing.result());
    }
}
