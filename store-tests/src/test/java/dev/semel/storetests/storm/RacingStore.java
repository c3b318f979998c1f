package dev.semel.storetests.storm;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Decision;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store that passes everything on to a right one; a bug is what a subclass does differently, mostly by looking outside the
 * right store's lock and acting later.
 */
abstract class RacingStore extends ForwardingTaskStore {

    private static final long WINDOW_NANOS = 100_000;

    final TaskStore right;

    RacingStore(TaskStore right) {
        super(right);
        this.right = right;
    }

    /** The time between a look and the act that relies on it. */
    static void window() {
        LockSupport.parkNanos(WINDOW_NANOS);
    }

    static NewTask with(NewTask item, NewTask.KeyRequest key) {
        return new NewTask(
                item.id(), item.tenant(), item.queue(), item.type(), item.input(), item.start(), item.options(), key);
    }

    static Decision decide(Optional<KeyRecord> record, NewTask item, NewTask.KeyRequest key) {
        Decision.Existing existing = record.map(found -> new Decision.Existing(
                        found.type(), found.inputHash(), found.state(), found.run(), found.windowPassed()))
                .orElse(null);
        return Decision.decide(existing, new Decision.Request(item.type(), key.inputHash()), key.policy());
    }

    /** A store that does something else with each submission. */
    abstract static class OneByOne extends RacingStore {

        OneByOne(TaskStore right) {
            super(right);
        }

        abstract Submitted submit(NewTask item);

        Submitted rightly(NewTask item) {
            return right.submit(List.of(item)).getFirst();
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = new ArrayList<>();
            for (SubmitRequest request : batch) {
                answers.add(
                        request instanceof NewTask item
                                ? submit(item)
                                : right.submit(List.of(request)).getFirst());
            }
            return answers;
        }
    }

    /** A store that does something else with each settlement. */
    abstract static class SettlesOneByOne extends RacingStore {

        SettlesOneByOne(TaskStore right) {
            super(right);
        }

        abstract Settled settle(Settlement settlement);

        Settled rightly(Settlement settlement) {
            return right.settle(List.of(settlement)).getFirst();
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            List<Settled> answers = new ArrayList<>();
            batch.forEach(settlement -> answers.add(settle(settlement)));
            return answers;
        }
    }

    /** A store that does something else with each operation. */
    abstract static class OperatesOneByOne extends RacingStore {

        OperatesOneByOne(TaskStore right) {
            super(right);
        }

        abstract Operated operate(Operation operation);

        Operated rightly(Operation operation) {
            return right.operate(List.of(operation)).getFirst();
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            List<Operated> answers = new ArrayList<>();
            batch.forEach(operation -> answers.add(operate(operation)));
            return answers;
        }
    }

    /** Decides on a look outside the lock that the key can be taken over, and takes it from its present holder, whichever that is. */
    static final class TakesOverUnlocked extends OneByOne {

        TakesOverUnlocked(TaskStore right) {
            super(right);
        }

        @Override
        Submitted submit(NewTask item) {
            NewTask.KeyRequest key = item.key();
            if (key == null) {
                return rightly(item);
            }
            Decision decision = decide(right.record(key.identity()), item, key);
            window();
            if (!(decision instanceof Decision.Rerun)) {
                return rightly(item);
            }
            ReusePolicy anyHolder = ReusePolicy.of(
                            ReusePolicy.WhileOpen.REPLACE, ReusePolicy.AfterEnd.RERUN, ReusePolicy.AfterEnd.RERUN)
                    .onOtherInput(ReusePolicy.OtherInput.IGNORE);
            return rightly(with(item, new NewTask.KeyRequest(key.identity(), key.inputHash(), key.ttl(), anyHolder)));
        }
    }

    /** Answers a duplicate with what another duplicate was answered. */
    static final class AnswersFromCache extends OneByOne {

        private final Map<Identity, Submitted.Returned> cache = new ConcurrentHashMap<>();

        AnswersFromCache(TaskStore right) {
            super(right);
        }

        @Override
        Submitted submit(NewTask item) {
            NewTask.KeyRequest key = item.key();
            Submitted.Returned cached = key == null ? null : cache.remove(key.identity());
            if (key != null
                    && cached != null
                    && !cached.inputDiffers()
                    && key.policy().pending() == ReusePolicy.WhileOpen.RETURN
                    && cached.existing().inputHash().equals(key.inputHash())
                    && cached.existing().type().equals(item.type())
                    && cached.existing().state() == TaskState.PENDING) {
                return cached;
            }
            Submitted answer = rightly(item);
            if (key != null && answer instanceof Submitted.Returned returned) {
                cache.put(key.identity(), returned);
            }
            return answer;
        }
    }

    /** Decides the items of a batch from the last to the first. */
    static final class DecidesBackwards extends RacingStore {

        DecidesBackwards(TaskStore right) {
            super(right);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            return right.submit(batch.reversed()).reversed();
        }
    }

    /** Answers before it has stored, and now and then does not store, when two are at it. */
    static final class LosesAcknowledged extends RacingStore {

        private final AtomicInteger underWay = new AtomicInteger();
        private final Map<TaskId, Boolean> lost = new ConcurrentHashMap<>();

        LosesAcknowledged(TaskStore right) {
            super(right);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            boolean alone = underWay.incrementAndGet() == 1;
            try {
                window();
                List<Submitted> answers = right.submit(batch);
                if (!alone && answers.getFirst() instanceof Submitted.Created created) {
                    // Another one has written over it.
                    lost.put(created.taskId(), true);
                }
                return answers;
            } finally {
                underWay.decrementAndGet();
            }
        }

        @Override
        public Map<TaskId, Task> find(Collection<TaskId> ids) {
            Map<TaskId, Task> found = new HashMap<>(right.find(ids));
            found.keySet().removeAll(lost.keySet());
            return found;
        }
    }

    /** Writes under whatever attempt runs, instead of the one that writes. */
    static final class SkipsFence extends SettlesOneByOne {

        SkipsFence(TaskStore right) {
            super(right);
        }

        @Override
        Settled settle(Settlement settlement) {
            Settled answer = rightly(settlement);
            if (answer != Settled.STALE || !(settlement instanceof Settlement.Complete complete)) {
                return answer;
            }
            Task task = right.find(List.of(complete.lease().taskId()))
                    .get(complete.lease().taskId());
            if (task == null || task.state() != TaskState.RUNNING) {
                return answer;
            }
            Lease newest = new Lease(
                    task.id(), task.progress().attempt(), complete.lease().claim());
            return rightly(new Settlement.Complete(newest, complete.result()));
        }
    }

    /** Does not look how many rows its statement changed: a change that came too late is answered as applied. */
    static final class IgnoresRowCount extends OperatesOneByOne {

        IgnoresRowCount(TaskStore right) {
            super(right);
        }

        @Override
        Operated operate(Operation operation) {
            boolean wasDead = operation instanceof Operation.Redrive redrive
                    && Optional.ofNullable(right.find(List.of(redrive.taskId())).get(redrive.taskId()))
                            .filter(task ->
                                    task.state().isDead() && task.progress().attempt() == redrive.attempt())
                            .isPresent();
            window();
            Operated answer = rightly(operation);
            return wasDead && answer == Operated.SUPERSEDED ? Operated.APPLIED : answer;
        }
    }

    /** Lets an attempt that is over intend an effect. */
    static final class IntendsUnfenced extends SettlesOneByOne {

        IntendsUnfenced(TaskStore right) {
            super(right);
        }

        @Override
        Settled settle(Settlement settlement) {
            Settled answer = rightly(settlement);
            return settlement instanceof Settlement.Intend && answer == Settled.STALE ? Settled.APPLIED : answer;
        }
    }

    /** Gives a task to two claims that are under way at the same time. */
    static final class ClaimsTwice extends RacingStore {

        private final AtomicInteger underWay = new AtomicInteger();
        private final List<Claimed> given = new ArrayList<>();

        ClaimsTwice(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            underWay.incrementAndGet();
            try {
                Claims claims = right.claim(request);
                window();
                List<Claimed> all = new ArrayList<>(claims.tasks());
                synchronized (given) {
                    if (underWay.get() > 1 && !given.isEmpty() && all.isEmpty()) {
                        all.add(given.getLast());
                    }
                    given.addAll(claims.tasks());
                }
                return new Claims(all, claims.nextDue());
            } finally {
                underWay.decrementAndGet();
            }
        }
    }

    /** Does not wake a task that began to wait at the moment at which the other one ended. */
    static final class LosesWake extends RacingStore {

        private static final Duration NEVER = Duration.ofDays(1);

        private final Map<TaskId, Boolean> asleep = new ConcurrentHashMap<>();

        LosesWake(TaskStore right) {
            super(right);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = right.submit(batch);
            window();
            for (Submitted answer : answers) {
                if (answer instanceof Submitted.Created created && created.state() == TaskState.WAITING) {
                    Task task = right.find(List.of(created.taskId())).get(created.taskId());
                    if (task != null && task.state() == TaskState.PENDING) {
                        asleep.put(task.id(), true);
                    }
                }
            }
            return answers;
        }

        @Override
        public Claims claim(ClaimRequest request) {
            Claims claims = right.claim(request);
            List<Claimed> awake = new ArrayList<>();
            for (Claimed claimed : claims.tasks()) {
                if (asleep.containsKey(claimed.task().id())) {
                    right.settle(List.of(new Settlement.PutBack(claimed.lease(), NEVER)));
                } else {
                    awake.add(claimed);
                }
            }
            return new Claims(awake, claims.nextDue());
        }

        private Task painted(Task task) {
            Progress progress = task.progress();
            return asleep.containsKey(task.id()) && task.state() == TaskState.PENDING
                    ? new Task(
                            task.id(),
                            task.tenant(),
                            task.queue(),
                            task.type(),
                            task.input(),
                            task.options(),
                            task.identity(),
                            task.run(),
                            task.series(),
                            task.lineage(),
                            task.createdAt(),
                            new Progress(
                                    TaskState.WAITING,
                                    progress.attempt(),
                                    progress.failures(),
                                    progress.vanished(),
                                    progress.dueAt(),
                                    progress.cancelRequested(),
                                    null,
                                    null,
                                    progress.lastError()))
                    : task;
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
    }

    /** Counts the free places of a queue outside the lock: two claims at the same time find the same place. */
    static final class CountsPlacesUnlocked extends RacingStore {

        private final AtomicInteger underWay = new AtomicInteger();

        CountsPlacesUnlocked(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            try {
                if (underWay.incrementAndGet() > 1) {
                    places(StormQueues.CONCURRENCIES.get(StormQueues.NARROW) + 1);
                }
                window();
                return right.claim(request);
            } finally {
                places(StormQueues.CONCURRENCIES.get(StormQueues.NARROW));
                underWay.decrementAndGet();
            }
        }

        private void places(int number) {
            right.operate(List.of(new Operation.SetQueue(
                    StormQueues.NARROW,
                    QueueSettings.builder().concurrency(number).build())));
        }
    }

    /** Takes two locks, submissions in one order, and settlements and operations in the other. */
    static final class SwapsLocks extends RacingStore {

        private final ReentrantLock waiting = new ReentrantLock();
        private final ReentrantLock running = new ReentrantLock();

        SwapsLocks(TaskStore right) {
            super(right);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = new ArrayList<>();
            locked(waiting, () -> locked(running, () -> answers.addAll(right.submit(batch))));
            return answers;
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            List<Settled> answers = new ArrayList<>();
            locked(running, () -> locked(waiting, () -> answers.addAll(right.settle(batch))));
            return answers;
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            List<Operated> answers = new ArrayList<>();
            locked(running, () -> locked(waiting, () -> answers.addAll(right.operate(batch))));
            return answers;
        }

        private static void locked(ReentrantLock lock, Runnable work) {
            try {
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted in a deadlock", e);
            }
            try {
                window();
                work.run();
            } finally {
                lock.unlock();
            }
        }
    }
}
