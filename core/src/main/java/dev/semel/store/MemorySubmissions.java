package dev.semel.store;

import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task.Progress;
import dev.semel.task.Decision;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The laws of submitting, S1 to S12, for {@link InMemoryTaskStore}. */
final class MemorySubmissions {

    private final MemoryTables tables;
    private final MemoryEffects effects;

    MemorySubmissions(MemoryTables tables, MemoryEffects effects) {
        this.tables = tables;
        this.effects = effects;
    }

    Submitted submit(NewTask item, Instant now) {
        NewTask.KeyRequest request = item.key();
        StoredKey key = request == null ? null : tables.key(request.identity());
        Submitted repeated = repeated(item.id(), key);
        if (repeated != null) {
            return repeated;
        }
        if (request == null) {
            return create(item, new Place(1, item.id(), item.id()), now);
        }
        Decision decision = Decision.decide(
                key == null ? null : existing(key, now),
                new Decision.Request(item.type(), request.inputHash()),
                request.policy());
        return switch (decision) {
            case Decision.Create() -> create(item, new Place(1, item.id(), item.id()), now);
            case Decision.Rerun(int run, boolean sameLineage) -> {
                TaskId lineage = sameLineage ? found(key).lineage() : item.id();
                yield create(item, new Place(run, found(key).series(), lineage), now);
            }
            case Decision.Replace(int run) -> {
                replace(found(key).taskId(), now);
                yield create(item, new Place(run, found(key).series(), item.id()), now);
            }
            case Decision.Return(boolean differs) -> {
                tables.save(found(key).counting(1, now));
                yield new Submitted.Returned(answer(found(key), false), differs);
            }
            case Decision.Reject(boolean differs) -> new Submitted.Rejected(answer(found(key), false), differs);
            case Decision.Conflict() -> new Submitted.Conflicted(answer(found(key), true));
        };
    }

    /** Returns the answer if this task was accepted before, whatever happened to it and its key since; otherwise null. */
    private @Nullable Submitted repeated(TaskId id, @Nullable StoredKey key) {
        StoredTask stored = tables.find(id);
        if (stored != null) {
            Task task = stored.task();
            return new Submitted.Created(id, task.run(), task.state(), task.createdAt());
        }
        if (key != null && key.taskId().equals(id)) {
            return new Submitted.Created(id, key.run(), tables.stateOf(key), key.createdAt());
        }
        return null;
    }

    /** The run, series and lineage of a new task. */
    private record Place(int run, TaskId series, TaskId lineage) {}

    private Submitted create(NewTask item, Place place, Instant now) {
        NewTask.KeyRequest request = item.key();
        StoredTask former = request == null ? null : former(request.identity());
        TaskState state = former == null ? TaskState.PENDING : TaskState.WAITING;
        Instant dueAt = InMemoryTaskStore.toMillis(item.start().dueAt(now));
        Task task = new Task(
                item.id(),
                item.tenant(),
                item.queue(),
                item.type(),
                item.input(),
                item.options(),
                request == null ? null : request.identity(),
                place.run(),
                place.series(),
                place.lineage(),
                now,
                new Progress(state, 0, 0, 0, dueAt, false, null, null, null));
        tables.save(new StoredTask(task, tables.nextSequence(), request, 0, Set.of(), null, false, false, false, null));
        if (request != null) {
            StoredKey before = tables.key(request.identity());
            tables.save(
                    StoredKey.of(task, place.series(), request, InMemoryTaskStore.toMillis(now.plus(request.ttl()))));
            if (before != null) {
                effects.forgetUnlessContinued(before.lineage());
            }
        }
        if (former != null) {
            tables.save(former.followedBy(item.id()));
        }
        return new Submitted.Created(item.id(), place.run(), state, now);
    }

    /** Returns the task of an identity that was replaced and has not ended yet, or null. */
    private @Nullable StoredTask former(Identity identity) {
        List<StoredTask> open = tables.openOf(identity);
        return open.isEmpty() ? null : open.getFirst();
    }

    private void replace(TaskId id, Instant now) {
        StoredTask old = tables.find(id);
        if (old == null) {
            throw new IllegalStateException("Task " + id + " is open but not stored");
        }
        if (tables.flows().mayCleanUp(old)) {
            tables.flows().requestCancellation(id, now);
        } else {
            Operated unused = tables.cancel(old, now);
        }
    }

    private Decision.Existing existing(StoredKey key, Instant now) {
        return new Decision.Existing(
                key.type(), key.inputHash(), tables.stateOf(key), key.run(), key.windowPassed(now));
    }

    private ExistingTask answer(StoredKey key, boolean withInput) {
        StoredKey.End end = key.remembered();
        if (end != null) {
            return new ExistingTask(
                    key.taskId(),
                    key.type(),
                    key.run(),
                    end.state(),
                    key.inputHash(),
                    key.createdAt(),
                    end.finishedAt(),
                    true,
                    null,
                    null);
        }
        Task task = tables.taskOf(key).task();
        return new ExistingTask(
                task.id(),
                task.type(),
                task.run(),
                task.state(),
                key.inputHash(),
                task.createdAt(),
                task.progress().finishedAt(),
                task.dataGone(),
                withInput ? task.input() : null,
                task.progress().result());
    }

    private static StoredKey found(@Nullable StoredKey key) {
        if (key == null) {
            throw new IllegalStateException("A decision about an existing task was taken where there is none");
        }
        return key;
    }
}
