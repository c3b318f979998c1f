package dev.semel.storetests.storm;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;

/**
 * What one actor asked and what it was answered, in order. Written by one thread without locks, and read when that has
 * ended: recording must not keep threads from meeting each other.
 */
final class StormHistory {

    /** A sweep: from when on it may have removed something, and up to which time of the clock. */
    record Sweep(long asked, long clockAnswered) {}

    private final List<StormOperation> operations = new ArrayList<>();
    private final List<Sweep> sweeps = new ArrayList<>();
    private final List<Span> lostClaims = new ArrayList<>();
    private final List<TaskId> rolledBack = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final ScheduleHistory schedules = new ScheduleHistory();
    private final FlowHistory flows = new FlowHistory();
    private int calls;
    private int lost;

    void add(StormOperation operation) {
        operations.add(operation);
    }

    void sweep(Span span) {
        sweeps.add(new Sweep(span.asked(), span.clockAnswered()));
    }

    /** Notes a claim without an answer: it may have taken any due task. */
    void lostClaim(Span span) {
        lostClaims.add(span);
    }

    /** Notes a submission whose transaction was rolled back. */
    void rolledBack(TaskId id) {
        rolledBack.add(id);
    }

    /** Notes a failure that no law allows. */
    void failed(String what) {
        failures.add(what);
    }

    void called() {
        calls++;
    }

    void lost() {
        lost++;
    }

    List<StormOperation> operations() {
        return operations;
    }

    List<Sweep> sweeps() {
        return sweeps;
    }

    List<Span> lostClaims() {
        return lostClaims;
    }

    List<TaskId> rolledBack() {
        return rolledBack;
    }

    ScheduleHistory schedules() {
        return schedules;
    }

    FlowHistory flows() {
        return flows;
    }

    List<String> failures() {
        return failures;
    }

    int calls() {
        return calls;
    }

    int lostCalls() {
        return lost;
    }
}
