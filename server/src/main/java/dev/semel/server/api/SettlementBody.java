package dev.semel.server.api;

import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.store.EffectOutcome;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What a worker says about one of its leases.
 *
 * @param lease the lease
 * @param members the rest
 */
record SettlementBody(Lease lease, JsonMembers members) {

    private static final Set<String> MEMBERS = Set.of(
            "lease",
            "action",
            "result",
            "error",
            "delay",
            "duration",
            "timed_out",
            "effect",
            "lineage",
            "window",
            "reason");

    static SettlementBody read(JsonDocument document) {
        JsonMembers members = document.members("settlement").allow(MEMBERS);
        return new SettlementBody(LeaseText.parse(members.text("lease")), members);
    }

    boolean needsTask() {
        return members.text("action").equals("error");
    }

    Settlement settlement(Map<TaskId, Task> tasks, RandomGenerator random) {
        String action = members.text("action");
        return switch (action) {
            case "complete" -> new Settlement.Complete(lease, document("result"));
            case "error" -> byPolicy(tasks.get(lease.taskId()), members.text("error"), random);
            case "fail" -> new Settlement.Fail(lease, members.truth("timed_out").orElse(false), members.text("error"));
            case "retry" -> new Settlement.Retry(lease, delay(), members.text("error"));
            case "snooze" -> new Settlement.PutBack(lease, delay());
            case "cancelled" -> new Settlement.Cancelled(lease);
            case "extend" ->
                new Settlement.Extend(lease, members.duration("duration").orElse(ClaimRoutes.USUAL_LEASE));
            case "intend" ->
                new Settlement.Intend(
                        lease, effect(), members.duration("window").orElse(null));
            case "done" ->
                new Settlement.Conclude(
                        lease, effect(), new EffectOutcome.Done(document("result"), EffectOutcome.How.RAN));
            case "not_done" ->
                new Settlement.Conclude(
                        lease, effect(), new EffectOutcome.NotDone(members.text("reason"), EffectOutcome.How.RAN));
            case "park" -> new Settlement.Park(lease, effect(), members.text("reason"));
            default ->
                throw new InvalidInput(
                        "An action is complete, error, fail, retry, snooze, cancelled, extend, intend, done, not_done"
                                + " or park, but got \"" + Limits.shown(action) + "\".");
        };
    }

    // The policy of the task decides, as for a handler in Java that throws.
    private Settlement byPolicy(@org.jspecify.annotations.Nullable Task task, String error, RandomGenerator random) {
        RetryPolicy own = task == null ? null : task.options().retry();
        RetryPolicy policy = own == null ? RetryPolicy.standard() : own;
        int failures = (task == null ? 0 : task.progress().failures()) + 1;
        return policy.allowsAfter(failures)
                ? new Settlement.Retry(lease, policy.delayAfter(failures, random), error)
                : new Settlement.Fail(lease, members.truth("timed_out").orElse(false), error);
    }

    private Duration delay() {
        return members.duration("delay").orElse(Duration.ZERO);
    }

    private @org.jspecify.annotations.Nullable String document(String name) {
        return members.find(name).map(value -> Json.parse(value.text()).text()).orElse(null);
    }

    private EffectId effect() {
        return EffectId.parse(TaskId.parse(members.text("lineage")), members.text("effect"));
    }

    static List<SettlementBody> read(List<JsonDocument> documents) {
        return documents.stream().map(SettlementBody::read).toList();
    }
}
