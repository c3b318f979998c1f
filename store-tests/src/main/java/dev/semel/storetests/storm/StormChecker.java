package dev.semel.storetests.storm;

import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.storetests.storm.LinearizabilityChecker.Verdict;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Judges one round of a storm by its histories and by what is stored at its end. It knows nothing of how the calls were chosen
 * and of the store that answered them.
 */
final class StormChecker {

    private static final int MOST_REPORTED = 5;

    private final List<String> wrong = new ArrayList<>();
    private final StormClock clock;
    private final StormQueues queues;
    private final Collection<StormHistory> histories;
    private final Collection<Task> stored;
    private final FlowEvidence flows;
    private final List<StormOperation> operations;
    private final Map<TaskId, HistoryReader.Sighting> seen;
    // A task that was never seen may have been among theirs, and a sweep may have removed it.
    private final Set<Identity> undecidable;
    private int undecided;

    StormChecker(StormClock clock, StormQueues queues, Collection<StormHistory> histories, Collection<Task> stored) {
        this.clock = clock;
        this.queues = queues;
        this.histories = histories;
        this.stored = stored;
        HistoryReader reader = HistoryReader.read(histories, stored);
        this.operations = new ArrayList<>(reader.operations());
        LetterReader letters = new LetterReader(histories, stored);
        operations.addAll(letters.creations());
        wrong.addAll(letters.wrong());
        this.seen = reader.seen();
        this.flows = reader.flows();
        this.undecidable = swept() ? reader.unseenLosses() : Set.of();
    }

    /**
     * Checks the round.
     *
     * @param concurrencies how many tasks of a queue run at most
     * @param seriesEnd whether a new series can have begun: a window passed, or a key was released
     * @return what is wrong; empty if nothing is
     */
    List<String> check(Map<String, Integer> concurrencies, boolean seriesEnd) {
        histories.forEach(history -> wrong.addAll(history.failures()));
        checkRolledBack();
        checkRuns(seriesEnd);
        checkLeases();
        checkStored();
        wrong.addAll(new ScheduleChecker(histories, seen.keySet(), swept()).check());
        wrong.addAll(new FlowChecker(flows, histories, stored, clock.millis()).check(seen.keySet()));
        wrong.addAll(new ExecutionChecker(clock, operations).check(concurrencies));
        checkOrders();
        return wrong.stream().limit(MOST_REPORTED).toList();
    }

    /** The number of identities with too many possible orders to decide whether one explains the answers. */
    int undecided() {
        return undecided;
    }

    /** What is stored: each run of a series once, and of each identity at most one task that is pending or running. */
    private void checkStored() {
        Map<String, TaskId> runs = new HashMap<>();
        Map<Identity, TaskId> open = new HashMap<>();
        for (Task task : stored) {
            TaskId same = runs.putIfAbsent(task.series() + " run " + task.run(), task.id());
            if (task.identity() != null && same != null) {
                wrong.add("tasks %s and %s are both run %d of series %s"
                        .formatted(same, task.id(), task.run(), task.series()));
            }
            boolean active = task.state() == TaskState.PENDING || task.state() == TaskState.RUNNING;
            if (task.identity() != null && active) {
                TaskId other = open.putIfAbsent(task.identity(), task.id());
                if (other != null) {
                    wrong.add("tasks %s and %s of %s are both pending or running"
                            .formatted(other, task.id(), task.identity()));
                }
            }
        }
    }

    private void checkRolledBack() {
        for (StormHistory history : histories) {
            for (TaskId id : history.rolledBack()) {
                if (seen.containsKey(id)) {
                    wrong.add("task " + id + " is there, but its transaction was rolled back");
                }
            }
        }
    }

    /**
     * Each run is made once, and only after the run before it; as long as no window passes and no key is released, because then a
     * new series begins, and a redriven task of an old one continues counting from its own run. Nor where sweeps forget ids: one
     * that is sent again is then a new task, and was seen with its newest run only.
     */
    private void checkRuns(boolean seriesEnd) {
        if (seriesEnd) {
            return;
        }
        Map<Identity, TreeMap<Integer, List<TaskId>>> runs = new LinkedHashMap<>();
        Map<TaskId, Identity> identities = new HashMap<>();
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Submit(NewTask item, var answer) && item.key() != null) {
                identities.put(item.id(), item.key().identity());
            }
        }
        identities.forEach((id, identity) -> {
            HistoryReader.Sighting sighting = seen.get(id);
            if (sighting != null) {
                runs.computeIfAbsent(identity, any -> new TreeMap<>())
                        .computeIfAbsent(sighting.run(), any -> new ArrayList<>())
                        .add(id);
            }
        });
        boolean allSeen = histories.stream().noneMatch(history -> history.lostCalls() > 0);
        runs.forEach((identity, byRun) -> byRun.forEach((run, ids) -> {
            int before = byRun.getOrDefault(run - 1, List.of()).size();
            boolean twice = ids.size() > 1;
            // Where answers were lost, the run before may be one that was never seen.
            boolean gap = allSeen && run > 1 && before == 0;
            if (twice || gap) {
                wrong.add("run %d of %s was made %d times, the run before it %d times: %s"
                        .formatted(run, identity, ids.size(), before, ids));
            }
        }));
    }

    /** One creation of a task: an id that was swept and forgotten makes a new task when it is sent again. */
    private record Creation(TaskId id, Instant createdAt) {}

    private record GivenAttempt(Creation creation, int attempt) {}

    /**
     * An attempt of a task is given once, and a task completes once, unless it is a workflow that was restarted. Where a sweep has forgotten an id, the task that it makes
     * when it is sent again is another one, with another time of creation.
     */
    private void checkLeases() {
        Map<GivenAttempt, StormOperation> given = new HashMap<>();
        Map<TaskId, Set<Creation>> creations = new HashMap<>();
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Claim claim) {
                Task task = claim.claimed().task();
                Creation creation = new Creation(task.id(), task.createdAt());
                StormOperation first = given.putIfAbsent(
                        new GivenAttempt(creation, claim.claimed().lease().attempt()), operation);
                if (first != null) {
                    wrong.add("one attempt was given twice" + both(first, operation));
                }
                creations.computeIfAbsent(task.id(), any -> new HashSet<>()).add(creation);
            }
        }
        creations.forEach((id, all) -> {
            if (all.size() > 1 && !swept()) {
                wrong.add("task " + id + " was created twice, and nothing was swept: " + all);
            }
        });
        Set<TaskId> restarted = new HashSet<>();
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Operate(Operation.Restart restart, Operated answer)
                    && (answer == null || answer == Operated.APPLIED)) {
                restarted.add(restart.taskId());
            }
        }
        Map<TaskId, StormOperation> completed = new HashMap<>();
        for (StormOperation operation : operations) {
            if (operation.action()
                            instanceof
                            StormOperation.Settle(Settlement.Complete complete, Settled answer, var inTransaction)
                    && answer == Settled.APPLIED
                    && !restarted.contains(complete.lease().taskId())
                    && creations
                                    .getOrDefault(complete.lease().taskId(), Set.of())
                                    .size()
                            < 2) {
                StormOperation first = completed.putIfAbsent(complete.lease().taskId(), operation);
                if (first != null
                        && ((StormOperation.Settle) first.action()).settlement() instanceof Settlement.Complete other
                        && !other.lease().attemptId().equals(complete.lease().attemptId())) {
                    wrong.add("one task was completed by two attempts" + both(first, operation));
                }
            }
        }
    }

    private boolean swept() {
        return histories.stream().anyMatch(history -> !history.sweeps().isEmpty());
    }

    private static String both(StormOperation first, StormOperation second) {
        long since = Math.min(first.span().asked(), second.span().asked());
        return ":\n  " + first.line(since) + "\n  " + second.line(since);
    }

    // ---- orders

    private void checkOrders() {
        Map<Object, List<StormOperation>> groups = new LinkedHashMap<>();
        Map<TaskId, Object> groupOf = new HashMap<>();
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Submit(NewTask item, var answer)) {
                groupOf.put(
                        item.id(), item.key() == null ? item.id() : item.key().identity());
            }
        }
        for (StormOperation operation : operations) {
            Object group = groupOf(operation, groupOf);
            if (group != null) {
                groups.computeIfAbsent(group, any -> new ArrayList<>()).add(operation);
            }
        }
        stored.forEach(task -> {
            if (!groupOf.containsKey(task.id())) {
                wrong.add("task is stored, but was never submitted: " + task);
            }
        });
        LongUnaryOperator sweptUntil = sweptUntil();
        LostClaims lostClaims = new LostClaims(histories.stream()
                .flatMap(history -> history.lostClaims().stream())
                .toList());
        groups.forEach((group, all) -> {
            if (wrong.size() >= MOST_REPORTED) {
                return; // where no order is found, all of them are tried, which takes long
            }
            if (group instanceof Identity identity && undecidable.contains(identity)) {
                undecided++;
                return;
            }
            switch (LinearizabilityChecker.check(new IdentityModel(queues, sweptUntil, lostClaims), all)) {
                case Verdict.Explained explained -> {}
                case Verdict.Undecided unknown -> undecided++;
                case Verdict.Unexplained(String description) -> wrong.add(group + ": " + description);
            }
        });
    }

    private static @Nullable Object groupOf(StormOperation operation, Map<TaskId, Object> groupOf) {
        return switch (operation.action()) {
            case StormOperation.Submit submit -> groupOf.get(submit.item().id());
            case StormOperation.Claim claim ->
                groupOf.getOrDefault(
                        claim.claimed().task().id(), claim.claimed().task().id());
            case StormOperation.Look look -> groupOf.get(look.id());
            case StormOperation.LookUp lookUp -> lookUp.identity();
            case StormOperation.LetterLook letter -> groupOf.get(letter.death().taskId());
            case StormOperation.Signal signal -> groupOf.get(signal.signal().taskId());
            case StormOperation.StepReturned returned -> {
                NewTask.KeyRequest key = returned.item().key();
                yield key == null ? null : key.identity();
            }
            case StormOperation.Settle settle ->
                groupOf.get(settle.settlement().lease().taskId());
            case StormOperation.Operate operate ->
                switch (operate.operation()) {
                    case Operation.Cancel(TaskId id) -> groupOf.get(id);
                    case Operation.Redrive redrive -> groupOf.get(redrive.taskId());
                    case Operation.Erase(TaskId id) -> groupOf.get(id);
                    case Operation.Restart restart -> groupOf.get(restart.taskId());
                    case Operation.ReleaseKey release -> release.identity();
                    case Operation.Resolve(EffectId effect, var left, var resolution) -> groupOf.get(effect.lineage());
                    case Operation.OfQueue queue -> null;
                    case Operation.ChangeSchedule schedule -> null;
                };
        };
    }

    /** For a nanosecond, the latest time of the clock in any sweep that was sent before. */
    private LongUnaryOperator sweptUntil() {
        TreeMap<Long, Long> latest = new TreeMap<>();
        List<StormHistory.Sweep> sweeps = new ArrayList<>();
        histories.forEach(history -> sweeps.addAll(history.sweeps()));
        sweeps.sort(Comparator.comparingLong(StormHistory.Sweep::asked));
        long most = Long.MIN_VALUE;
        for (StormHistory.Sweep sweep : sweeps) {
            most = Math.max(most, sweep.clockAnswered());
            latest.put(sweep.asked(), most);
        }
        return nanos -> {
            Map.Entry<Long, Long> before = latest.floorEntry(nanos);
            return before == null ? Long.MIN_VALUE : before.getValue();
        };
    }

    /** The identities that were used. */
    Set<Identity> identities() {
        Set<Identity> used = new LinkedHashSet<>();
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Submit(NewTask item, var answer) && item.key() != null) {
                used.add(item.key().identity());
            }
        }
        return used;
    }
}
