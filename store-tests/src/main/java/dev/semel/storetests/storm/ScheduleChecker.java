package dev.semel.storetests.storm;

import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Judges what happened to schedules: each tick was made at most once, a change that was refused did nothing, and the position of a
 * schedule never falls.
 */
final class ScheduleChecker {

    private final List<ScheduleHistory.Answer> answers = new ArrayList<>();
    private final List<ScheduleHistory.Sight> sights = new ArrayList<>();
    private final Set<TaskId> seen;
    private final boolean swept;
    private final List<String> wrong = new ArrayList<>();

    /**
     * Creates a checker.
     *
     * @param histories what all actors did
     * @param seen the tasks that any call saw, and those that are stored at the end
     * @param swept whether tasks may have been removed
     */
    ScheduleChecker(Collection<StormHistory> histories, Set<TaskId> seen, boolean swept) {
        for (StormHistory history : histories) {
            answers.addAll(history.schedules().answers());
            sights.addAll(history.schedules().sights());
        }
        this.seen = seen;
        this.swept = swept;
    }

    List<String> check() {
        checkVersions();
        checkTasks();
        checkPositions();
        return wrong;
    }

    private record Expected(ScheduleId id, UUID version) {}

    /** Of all changes that expect one version, one was carried out at the most. */
    private void checkVersions() {
        Map<Expected, ScheduleHistory.Answer> applied = new HashMap<>();
        for (ScheduleHistory.Answer answer : answers) {
            ScheduleHistory.Change change = answer.change();
            // A removal is answered as applied too if another one has removed the schedule, and a schedule that was
            // removed
            // can be created again.
            if (!answer.isApplied() || change.version() == null || change.expected() == null) {
                continue;
            }
            ScheduleHistory.Answer other = applied.putIfAbsent(new Expected(change.id(), change.expected()), answer);
            if (other != null && !change.version().equals(other.change().version())) {
                wrong.add("two changes of one version of a schedule were carried out: " + other + " and " + answer);
            }
        }
    }

    private record Tick(ScheduleId id, long number) {}

    private void checkTasks() {
        Map<Tick, Set<TaskId>> made = new LinkedHashMap<>();
        for (ScheduleHistory.Answer answer : answers) {
            ScheduleHistory.Change change = answer.change();
            TaskId task = change.created();
            if (task == null) {
                continue;
            }
            boolean exists = seen.contains(task);
            if (answer.isApplied() && !exists && !swept) {
                wrong.add("a tick was made, but its task was never seen: " + answer);
            }
            if (!answer.isApplied() && !answer.lostBefore() && exists) {
                wrong.add("a change that was refused has created its task: " + answer);
            }
            if (exists || answer.isApplied()) {
                made.computeIfAbsent(new Tick(change.id(), change.position()), tick -> new TreeSet<>())
                        .add(task);
            }
        }
        made.forEach((tick, tasks) -> {
            if (tasks.size() > 1) {
                wrong.add("tick %d of schedule %s was made %d times: %s"
                        .formatted(tick.number(), tick.id(), tasks.size(), tasks));
            }
        });
    }

    /** A moment after which a schedule has at least a position. */
    private record Known(long nanos, long position) {}

    /** Whoever asks after an answer sees at least the position that was answered. */
    private void checkPositions() {
        Map<ScheduleId, List<Known>> known = new HashMap<>();
        for (ScheduleHistory.Sight sight : sights) {
            known.computeIfAbsent(sight.id(), id -> new ArrayList<>())
                    .add(new Known(sight.span().answered(), sight.position()));
        }
        for (ScheduleHistory.Answer answer : answers) {
            if (answer.isApplied()) {
                known.computeIfAbsent(answer.change().id(), id -> new ArrayList<>())
                        .add(new Known(answer.span().answered(), answer.change().position()));
            }
        }
        known.remove(ScheduleActor.BRIEF);
        known.forEach((id, moments) -> {
            moments.sort(Comparator.comparingLong(Known::nanos));
            List<ScheduleHistory.Sight> inOrder = sights.stream()
                    .filter(sight -> sight.id().equals(id))
                    .sorted(Comparator.comparingLong(sight -> sight.span().asked()))
                    .toList();
            long least = ScheduleHistory.ABSENT;
            int at = 0;
            for (ScheduleHistory.Sight sight : inOrder) {
                while (at < moments.size()
                        && moments.get(at).nanos() < sight.span().asked()) {
                    least = Math.max(least, moments.get(at).position());
                    at++;
                }
                if (sight.position() < least) {
                    wrong.add("the position of schedule %s has fallen from %d to %d"
                            .formatted(id, least, sight.position()));
                }
            }
        });
    }
}
