package dev.semel.storetests.storm;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A store that can lose its hold of an identity: each identity has generations, which the right store takes for different ones and
 * all others for the same. So it can have two tasks where there may be one. It can forget mutexes likewise.
 */
abstract class SplitStore extends RacingStore {

    private final Map<Identity, Integer> generations = new ConcurrentHashMap<>();
    private final Map<TaskId, NewTask> originals = new ConcurrentHashMap<>();

    SplitStore(ManualClock clock) {
        super(new InMemoryTaskStore(clock));
    }

    final Identity now(Identity identity) {
        int generation = generations.getOrDefault(identity, 0);
        return generation == 0
                ? identity
                : new Identity(
                        identity.tenant(),
                        identity.scopeKind(),
                        identity.scopeName(),
                        identity.key() + "#" + generation);
    }

    /** Loses the hold of an identity: the next submission finds it free. */
    final void lose(Identity identity) {
        generations.merge(identity, 1, Integer::sum);
    }

    final Set<Identity> identities() {
        Set<Identity> all = new HashSet<>();
        originals.values().stream()
                .map(NewTask::key)
                .filter(key -> key != null)
                .forEach(key -> all.add(key.identity()));
        return all;
    }

    /** What the right store gets instead of a submission. */
    NewTask translated(NewTask item) {
        originals.put(item.id(), item);
        NewTask.KeyRequest key = item.key();
        return key == null
                ? item
                : with(item, new NewTask.KeyRequest(now(key.identity()), key.inputHash(), key.ttl(), key.policy()));
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        return right.submit(batch.stream()
                .map(request -> request instanceof NewTask item ? translated(item) : request)
                .toList());
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        List<Operated> answers = new ArrayList<>();
        batch.forEach(operation -> answers.add(operate(operation)));
        return answers;
    }

    Operated operate(Operation operation) {
        Operation translated = operation instanceof Operation.ReleaseKey(Identity identity, TaskId id)
                ? new Operation.ReleaseKey(now(identity), id)
                : operation;
        return right.operate(List.of(translated)).getFirst();
    }

    private Task painted(Task task) {
        NewTask original = originals.get(task.id());
        Identity identity = task.identity();
        if (original != null) {
            identity = original.key() == null ? null : original.key().identity();
        }
        return new Task(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                original == null ? task.options() : original.options(),
                identity,
                task.run(),
                task.series(),
                task.lineage(),
                task.createdAt(),
                task.progress());
    }

    @Override
    public Claims claim(ClaimRequest request) {
        Claims claims = right.claim(request);
        return new Claims(
                claims.tasks().stream()
                        .map(claimed -> new Claimed(painted(claimed.task()), claimed.lease()))
                        .toList(),
                claims.nextDue());
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        Map<TaskId, Task> found = new HashMap<>(right.find(ids));
        found.replaceAll((id, task) -> painted(task));
        return found;
    }

    @Override
    public Page list(TaskQuery query) {
        Page page = right.list(query);
        return new Page(page.tasks().stream().map(this::painted).toList(), page.next());
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> asked) {
        Map<Identity, KeyRecord> found = new HashMap<>();
        for (Identity identity : asked) {
            right.record(now(identity))
                    .ifPresent(record -> found.put(
                            identity,
                            new KeyRecord(
                                    identity,
                                    record.taskId(),
                                    record.type(),
                                    record.inputHash(),
                                    record.run(),
                                    record.lineage(),
                                    record.createdAt(),
                                    record.expiresAt(),
                                    record.windowPassed(),
                                    record.state(),
                                    record.finishedAt(),
                                    record.dataGone(),
                                    record.duplicates(),
                                    record.lastDuplicateAt())));
        }
        return found;
    }

    /** Two submissions that find a key free outside the lock both create. */
    static final class CreatesTwice extends SplitStore {

        CreatesTwice(ManualClock clock) {
            super(clock);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = new ArrayList<>();
            for (SubmitRequest request : batch) {
                NewTask.KeyRequest key = request instanceof NewTask item ? item.key() : null;
                boolean free = key != null
                        && right.record(now(key.identity()))
                                .filter(record -> record.state().isOpen() || !record.windowPassed())
                                .isEmpty();
                window();
                boolean taken = key != null
                        && right.record(now(key.identity()))
                                .filter(record -> record.state().isOpen())
                                .isPresent();
                if (free && taken) {
                    lose(key.identity());
                }
                answers.addAll(super.submit(List.of(request)));
            }
            return answers;
        }
    }

    /** Releases a key whose task it saw ended, although another one is open by then. */
    static final class ReleasesOpen extends SplitStore {

        ReleasesOpen(ManualClock clock) {
            super(clock);
        }

        @Override
        Operated operate(Operation operation) {
            if (!(operation instanceof Operation.ReleaseKey(Identity identity, TaskId id))) {
                return super.operate(operation);
            }
            boolean ended = right.record(now(identity))
                    .filter(record -> !record.state().isOpen())
                    .isPresent();
            window();
            Operated answer = super.operate(operation);
            if (ended && (answer == Operated.HELD || answer == Operated.SUPERSEDED)) {
                lose(identity);
                return Operated.APPLIED;
            }
            return answer;
        }
    }

    /** Sweeps a record whose window it saw passed, although a new task has taken the key by then. */
    static final class SweepsTaken extends SplitStore {

        SweepsTaken(ManualClock clock) {
            super(clock);
        }

        @Override
        public Swept sweep(SweepRequest request) {
            Set<Identity> passed = new HashSet<>();
            for (Identity identity : identities()) {
                right.record(now(identity))
                        .filter(record ->
                                record.windowPassed() && !record.state().isOpen())
                        .ifPresent(record -> passed.add(identity));
            }
            window();
            Swept swept = right.sweep(request);
            for (Identity identity : passed) {
                right.record(now(identity))
                        .filter(record -> record.state().isOpen())
                        .ifPresent(record -> lose(identity));
            }
            return swept;
        }
    }

    /** Forgets the mutex of a task that is submitted while another submission is under way. */
    static final class ForgetsMutex extends SplitStore {

        private final AtomicInteger underWay = new AtomicInteger();

        ForgetsMutex(ManualClock clock) {
            super(clock);
        }

        @Override
        NewTask translated(NewTask item) {
            NewTask kept = super.translated(item);
            return underWay.get() < 2
                    ? kept
                    : new NewTask(
                            kept.id(),
                            kept.tenant(),
                            kept.queue(),
                            kept.type(),
                            kept.input(),
                            kept.start(),
                            new TaskOptions(kept.options().priority(), null, null, null),
                            kept.key());
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            underWay.incrementAndGet();
            try {
                window();
                return super.submit(batch);
            } finally {
                underWay.decrementAndGet();
            }
        }
    }
}
