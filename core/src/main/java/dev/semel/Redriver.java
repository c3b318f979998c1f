package dev.semel;

import dev.semel.Operations.Outlook;
import dev.semel.Operations.Redriving;
import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Redrives dead letters, and previews what a redrive would do. */
record Redriver(TaskStore store) {

    /** Redrives tasks as they were looked up, and returns one outcome per task, in order. */
    List<Redriving> redrive(List<Task> looked) {
        // By the attempt at which each died: one that was redriven since then, and died again, is not redriven twice.
        List<Operation> moves = new ArrayList<>();
        Map<TaskId, RestartPreview> workflows = new HashMap<>();
        for (Task task : looked) {
            // A workflow would read the step back that failed it. A restart runs that again; its generation is the
            // fence.
            if (task.options().workflow() != null) {
                RestartPreview preview = RestartPreview.of(store, task.id(), task.lineage(), null);
                workflows.put(task.id(), preview);
                moves.add(new Operation.Restart(task.id(), preview.generation(), preview.from()));
            } else {
                moves.add(new Operation.Redrive(task.id(), task.progress().attempt()));
            }
        }
        List<Operated> answers = store.operate(moves);
        for (int i = 0; i < answers.size(); i++) {
            RestartPreview restarted = workflows.get(looked.get(i).id());
            if (restarted != null && answers.get(i) == Operated.APPLIED) {
                new Restarter(store).cancelSuperseded(restarted);
            }
        }
        return answers.stream().map(Redriver::outcome).toList();
    }

    /** Previews the redrive of one dead letter. */
    Outlook preview(Task dead) {
        return previews(List.of(dead), new HashMap<>()).getFirst();
    }

    /** Previews the redrive of dead letters. A key that one of them would take is not free for the following ones. */
    List<Outlook> previews(List<Task> dead, Map<Identity, TaskId> promised) {
        Map<Identity, KeyRecord> records = store.records(dead.stream()
                .map(Task::identity)
                .filter(identity -> identity != null)
                .distinct()
                .toList());
        Map<TaskId, List<Attempt>> attempts =
                store.attempts(dead.stream().map(Task::id).toList());
        Map<TaskId, List<EffectRecord>> effects =
                store.effects(dead.stream().map(Task::lineage).distinct().toList());
        List<Outlook> outlooks = new ArrayList<>();
        for (Task task : dead) {
            Identity identity = task.identity();
            TaskId newer = identity == null ? null : promised.get(identity);
            newer = newer != null ? newer : newer(task, records);
            if (identity != null && newer == null) {
                promised.put(identity, task.id());
            }
            outlooks.add(new Outlook(
                    task,
                    attempts.getOrDefault(task.id(), List.of()),
                    effects.getOrDefault(task.lineage(), List.of()),
                    newer));
        }
        return outlooks;
    }

    private @Nullable TaskId newer(Task dead, Map<Identity, KeyRecord> records) {
        Identity identity = dead.identity();
        if (identity == null) {
            return null;
        }
        KeyRecord record = records.get(identity);
        if (record != null
                && !record.taskId().equals(dead.id())
                && (record.state().isOpen() || !record.windowPassed())) {
            return record.taskId();
        }
        // A replaced task that still runs has lost the key, and two tasks of one key never run at the same time.
        List<Task> open = store.list(TaskPages.in(TaskQuery.of(identity, 1), TaskPages.OPEN))
                .tasks();
        return open.isEmpty() ? null : open.getFirst().id();
    }

    private static Redriving outcome(Operated answer) {
        return switch (answer) {
            case APPLIED -> Redriving.REDRIVEN;
            case SUPERSEDED -> Redriving.SUPERSEDED;
            case STALE, NOT_FOUND, HELD, CANCEL_REQUESTED, CIRCLE -> Redriving.NOT_DEAD;
        };
    }
}
