package dev.semel.store;

import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The laws of workflows, F1 to F24, for {@link InMemoryTaskStore}. */
final class MemoryFlows {

    private final MemoryTables tables;
    private final Map<TaskId, Flow> flows = new HashMap<>();

    // For each watched step, by workflow: whether the workflow created the step.
    private final Map<TaskId, NavigableMap<TaskId, Boolean>> watches = new HashMap<>();

    private static final class Flow {
        StoredFlow counters = StoredFlow.NEW;
        final List<HistoryLine> lines = new ArrayList<>();
        final List<InboxEntry> inbox = new ArrayList<>();
    }

    MemoryFlows(MemoryTables tables) {
        this.tables = tables;
    }

    Settled advance(Settlement.Advance advance, MemorySubmissions submitting, Instant now) {
        StoredTask task = tables.find(advance.lease().taskId());
        if (task == null) {
            return Settled.NOT_FOUND;
        }
        if (task.state() != TaskState.RUNNING
                || task.attempt() != advance.lease().attempt()) {
            return Settled.STALE;
        }
        Flow flow = flows.computeIfAbsent(task.id(), id -> new Flow());
        switch (counted(flow, advance.lines().size()).decide(advance)) {
            case DONE_BEFORE -> {
                return Settled.APPLIED;
            }
            case STALE -> {
                return Settled.STALE;
            }
            case FULL -> {
                return Settled.FULL;
            }
            case ADD -> {}
        }
        tables.save(task.progressed());
        for (NewLine line : advance.lines()) {
            TaskId step = switch (line) {
                case NewLine.Note note -> null;
                case NewLine.Step(NewTask started) -> start(task.id(), started, submitting.submit(started, now), now);
                case NewLine.Abandon abandon -> {
                    abandon(task.id(), abandon, now);
                    yield abandon.step();
                }
                case NewLine.Answer answer -> {
                    if (!accepted(task.id(), answer.entryKey())) {
                        append(task.id(), answer.entry(task.id(), now), now);
                    }
                    yield null;
                }
            };
            add(flow, line, step, now);
        }
        return Settled.APPLIED;
    }

    private static void add(Flow flow, NewLine line, @Nullable TaskId step, Instant now) {
        HistoryLine added =
                new HistoryLine(flow.counters.lines() + 1, line.kind(), line.name(), step, line.document(), now);
        flow.lines.add(added);
        flow.counters = flow.counters.plus(added);
    }

    /** Watches a step that was submitted, and returns the task that it is. */
    private TaskId start(TaskId workflow, NewTask step, Submitted submitted, Instant now) {
        return switch (submitted) {
            case Submitted.Created created -> watched(workflow, created.taskId(), true);
            case Submitted.Returned(ExistingTask existing, boolean differs) -> {
                if (existing.state().isOpen()) {
                    yield watched(workflow, existing.taskId(), false);
                }
                StoredTask ended = tables.find(existing.taskId());
                append(workflow, StoredFlow.ended(existing, ended == null ? null : ended.lastError(), now), now);
                yield existing.taskId();
            }
            case Submitted.Rejected(ExistingTask existing, boolean differs) -> {
                append(workflow, StoredFlow.rejected(step, existing, false, now), now);
                yield step.id();
            }
            case Submitted.Conflicted(ExistingTask existing) -> {
                append(workflow, StoredFlow.rejected(step, existing, true, now), now);
                yield step.id();
            }
            case Submitted.Busy busy -> throw new IllegalStateException("This store has no transactions of callers");
            case Submitted.Cancellation cancellation ->
                throw new IllegalStateException("A step was answered with " + cancellation);
            case Submitted.Signalled signalled ->
                throw new IllegalStateException("A step was answered with " + signalled);
        };
    }

    private TaskId watched(TaskId workflow, TaskId step, boolean created) {
        watches.computeIfAbsent(step, id -> new TreeMap<>()).putIfAbsent(workflow, created);
        return step;
    }

    private void abandon(TaskId workflow, NewLine.Abandon abandon, Instant now) {
        Map<TaskId, Boolean> watchers = watches.getOrDefault(abandon.step(), new TreeMap<>());
        Boolean created = watchers.get(workflow);
        if (created == null) {
            return; // it has ended, and its entry is in the inbox
        }
        if (created && watchers.size() == 1) {
            StoredTask step = Objects.requireNonNull(tables.find(abandon.step()));
            if (mayCleanUp(step)) {
                requestCancellation(step.id(), now);
            } else {
                Operated unused = tables.cancel(step, now);
            }
        } else {
            watchers.remove(workflow);
            append(workflow, StoredFlow.leftToOthers(abandon.name(), abandon.step(), now), now);
        }
    }

    /** Adds the end of a task to the inboxes of those that watch it. */
    void ended(Task task) {
        Map<TaskId, Boolean> watchers = watches.remove(task.id());
        if (watchers == null) {
            return;
        }
        Task.Progress end = task.progress();
        Instant now = Objects.requireNonNull(end.finishedAt());
        for (TaskId workflow : watchers.keySet()) {
            append(
                    workflow,
                    StoredFlow.ended(task.type(), task.id(), end.state(), end.result(), end.lastError(), now),
                    now);
        }
    }

    /** Returns whether a task was submitted as a workflow, or is one because it has a history. */
    boolean isWorkflow(Task task) {
        return task.options().workflow() != null || flows.containsKey(task.id());
    }

    /** Returns whether the resolution of an effect is an entry in the inbox of a task. */
    boolean isAnswered(StoredTask task) {
        return flows.containsKey(task.id()) || (task.state().isOpen() && isWorkflow(task.task()));
    }

    /** Adds the resolution of an effect to the inbox of a workflow, unless it is there. */
    void resolved(TaskId workflow, Operation.Resolve operation, Instant now) {
        InboxEntry entry = StoredFlow.resolved(operation, now);
        if (!accepted(workflow, Objects.requireNonNull(entry.key()))) {
            append(workflow, entry, now);
        }
    }

    /** Returns whether a task that is replaced is a workflow that is asked to cancel. */
    boolean mayCleanUp(StoredTask task) {
        return isWorkflow(task.task()) && StoredFlow.mayCleanUp(task.state(), task.attempt() > 0, task.parked());
    }

    /** Requests the cancellation of a workflow, unless it was requested before. */
    void requestCancellation(TaskId workflow, Instant now) {
        if (!accepted(workflow, StoredFlow.CANCEL_KEY)) {
            append(workflow, StoredFlow.cancellation(now), now);
        }
    }

    /** Starts a workflow and delivers a signal to it. */
    Submitted start(SubmitRequest.SignalWithStart start, MemorySubmissions submitting, Instant now) {
        Submitted answer = submitting.submit(start.task(), now);
        return start.signal(answer)
                .filter(signal -> signal(signal, now) == Submitted.Signalled.FULL)
                .<Submitted>map(full -> Submitted.Signalled.FULL)
                .orElse(answer);
    }

    Submitted.Signalled signal(SubmitRequest.Signal signal, Instant now) {
        StoredTask task = tables.find(signal.taskId());
        Flow flow = flows.get(signal.taskId());
        boolean accepted = task != null && accepted(task.task(), signal.key());
        Submitted.Signalled answer =
                (flow == null ? StoredFlow.NEW : counted(flow, 1)).decide(task == null ? null : task.state(), accepted);
        if (answer == Submitted.Signalled.ACCEPTED && !accepted) {
            append(signal.taskId(), signal.entry(now), now);
        }
        return answer;
    }

    /** Returns whether the key of a signal is in the inbox of a workflow, or of an earlier run of it. */
    private boolean accepted(Task task, String key) {
        if (accepted(task.id(), key)) {
            return true;
        }
        return task.run() > 1
                && StoredFlow.isSharedByRuns(key)
                && flows.keySet().stream().anyMatch(id -> {
                    StoredTask other = tables.find(id);
                    return other != null
                            && other.task().series().equals(task.series())
                            && other.task().run() < task.run()
                            && accepted(id, key);
                });
    }

    private boolean accepted(TaskId workflow, String key) {
        Flow flow = flows.get(workflow);
        return flow != null && flow.inbox.stream().anyMatch(entry -> key.equals(entry.key()));
    }

    /** Adds an entry to the inbox of a workflow that is stored, and wakes it if that is what it waits for. */
    private void append(TaskId workflow, InboxEntry entry, Instant now) {
        StoredTask task = tables.find(workflow);
        if (task == null) {
            return;
        }
        Flow flow = flows.computeIfAbsent(workflow, id -> new Flow());
        StoredFlow.Appended appended = flow.counters.plus(entry);
        flow.counters = appended.flow();
        flow.inbox.add(appended.entry());
        // One that has ended is not woken, but if it is redriven it must not wait for what has happened meanwhile.
        boolean waits = task.listening() || (task.state() == TaskState.PENDING && !task.isDue(now));
        if (appended.wakes() && waits && task.attempt() == flow.counters.waited()) {
            tables.save(task.pending(now));
        }
    }

    /** Decides about a restart. */
    StoredFlow.Verdict decide(Operation.Restart restart) {
        Flow flow = flows.getOrDefault(restart.taskId(), new Flow());
        String next = Generation.key(restart.generation() + 1);
        String begun = flow.inbox.stream()
                .filter(entry -> next.equals(entry.key()))
                .findFirst()
                .map(InboxEntry::document)
                .orElse(null);
        return flow.counters.decide(restart, begun);
    }

    /** Begins the generation of a restart. */
    void restart(Operation.Restart restart, Instant now) {
        Flow flow = flows.computeIfAbsent(restart.taskId(), id -> new Flow());
        List<HistoryLine> superseded =
                flow.lines.subList(Math.min(flow.lines.size(), Math.max(restart.from(), 1) - 1), flow.lines.size());
        StoredFlow.Appended begun = flow.counters.restarted(restart, List.copyOf(superseded), now);
        superseded.clear();
        flow.inbox.replaceAll(entry -> entry.ofGeneration(restart.generation()));
        flow.inbox.add(begun.entry());
        flow.counters = begun.flow();
    }

    private static StoredFlow counted(Flow flow, int more) {
        return flow.counters.needsCount(more) ? flow.counters.withEntries(flow.inbox.size()) : flow.counters;
    }

    /** Begins the generation of a workflow whose code continues as new. */
    void continueAsNew(Settlement.Continue next, Instant now) {
        Flow flow = flows.computeIfAbsent(next.lease().taskId(), id -> new Flow());
        Continuation.Rest rest = Continuation.rest(next, flow.inbox);
        StoredFlow.Appended begun = flow.counters.continued(next, rest, now);
        flow.lines.clear();
        Set<Integer> deleted = Set.copyOf(rest.deleted());
        Set<Integer> received = Set.copyOf(rest.received());
        flow.inbox.removeIf(entry -> deleted.contains(entry.number()));
        flow.inbox.replaceAll(entry -> received.contains(entry.number()) ? entry.received() : entry);
        flow.inbox.add(begun.entry());
        flow.counters = begun.flow();
    }

    /** Records that an attempt ends with a wait; returns whether the task has to wait. */
    boolean await(Settlement.Wait wait) {
        Flow flow = flows.computeIfAbsent(wait.lease().taskId(), id -> new Flow());
        boolean waits = flow.counters.mustWait(wait);
        flow.counters = flow.counters.waiting(wait);
        return waits;
    }

    /** Returns whether an attempt of which nothing is kept ended with a wait. */
    boolean waited(Settlement.Ending ending) {
        Flow flow = flows.get(ending.lease().taskId());
        return ending.outcome() == Attempt.Outcome.WAITED
                && flow != null
                && ending.lease().attempt() <= flow.counters.waited();
    }

    Map<TaskId, History> read(Collection<History.Query> queries, Instant now) {
        Map<TaskId, History> found = new LinkedHashMap<>();
        for (History.Query query : queries) {
            Flow flow = flows.getOrDefault(query.workflow(), new Flow());
            found.put(
                    query.workflow(),
                    new History(
                            flow.lines.subList(Math.min(query.lines(), flow.lines.size()), flow.lines.size()),
                            after(flow.inbox, query.inbox()),
                            now));
        }
        return found;
    }

    /** Returns the entries behind a number. They are searched from the end, because most readers know almost all of them. */
    private static List<InboxEntry> after(List<InboxEntry> inbox, int known) {
        int first = inbox.size();
        while (first > 0 && inbox.get(first - 1).number() > known) {
            first--;
        }
        return inbox.subList(first, inbox.size());
    }

    /** Deletes the history of a workflow. */
    void forget(TaskId workflow) {
        if (flows.remove(workflow) != null) {
            watches.values().forEach(watchers -> watchers.remove(workflow));
            watches.values().removeIf(Map::isEmpty);
        }
    }
}
