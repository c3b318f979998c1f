package dev.semel.storetests.simulation;

import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * TICKS: each tick is made at most once, its task is kept, and the position of a schedule never falls. That a change which was refused
 * creates no task follows from I2: no submission can have made it.
 */
final class ScheduleRules {

    private final Evidence evidence;
    private final Findings findings;

    ScheduleRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
    }

    void check() {
        checkVersions();
        checkTicks();
        checkPositions();
    }

    private record Expected(ScheduleId id, UUID version) {}

    private void checkVersions() {
        Map<Expected, UUID> applied = new HashMap<>();
        for (Change.Operate sent : evidence.scheduleChanges()) {
            Operation.ChangeSchedule change = (Operation.ChangeSchedule) sent.item();
            if (!sent.applied() || change.expected() == null || change.next() == null) {
                continue;
            }
            UUID version = change.next().version();
            UUID other = applied.putIfAbsent(new Expected(change.id(), change.expected()), version);
            if (other != null && !other.equals(version)) {
                findings.broken(
                        Invariant.TICKS,
                        "Schedule " + change.id() + ": two changes of version " + change.expected()
                                + " were carried out");
            }
        }
    }

    private record Tick(ScheduleId id, long number) {}

    private void checkTicks() {
        Map<Tick, Set<TaskId>> made = new LinkedHashMap<>();
        for (Change.Operate sent : evidence.scheduleChanges()) {
            Operation.ChangeSchedule change = (Operation.ChangeSchedule) sent.item();
            ScheduleRecord next = change.next();
            if (next == null || change.create().isEmpty()) {
                continue;
            }
            TaskStory task = evidence.task(change.create().getFirst().id());
            if (sent.applied() && task.seen() == null && !task.mayBeSwept(Long.MAX_VALUE)) {
                findings.broken(
                        Invariant.TICKS,
                        task,
                        "is the task of a tick that was made, is not there, and cannot be swept");
            }
            if (sent.applied() || task.seen() != null) {
                Tick tick =
                        new Tick(change.id(), Ticker.ScheduleDocument.of(next).position());
                made.computeIfAbsent(tick, fresh -> new TreeSet<>()).add(task.id());
            }
        }
        made.forEach((tick, tasks) -> {
            if (tasks.size() > 1) {
                findings.broken(
                        Invariant.TICKS,
                        "Schedule " + tick.id() + ": tick " + tick.number() + " was made by tasks " + tasks);
            }
        });
    }

    private record Seen(Moment at, long position) {}

    private void checkPositions() {
        Map<ScheduleId, List<Seen>> seen = new LinkedHashMap<>();
        evidence.scheduleReads()
                .forEach(read -> read.value()
                        .schedules()
                        .forEach(schedule -> seen.computeIfAbsent(schedule.id(), fresh -> new ArrayList<>())
                                .add(new Seen(
                                        read.done(),
                                        Ticker.ScheduleDocument.of(schedule).position()))));
        seen.forEach((id, reads) -> {
            reads.sort(Comparator.comparingLong(read -> read.at().order()));
            long before = 0;
            for (Seen read : reads) {
                if (read.position() < before) {
                    findings.broken(
                            Invariant.TICKS,
                            "Schedule " + id + ": its position fell from " + before + " to " + read.position());
                }
                before = Math.max(before, read.position());
            }
        });
    }
}
