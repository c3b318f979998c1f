package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The bugs that the simulation must find, each as a store that is wrong in one way, with the invariant that it breaks. */
enum PlantedBug implements Simulation.StoreUnderTest {

    /** The attempt is not checked: every writer is taken for the newest. */
    NO_ATTEMPT_CHECK(Invariant.I4),

    /** An identity is free as soon as its window has passed, although its task is open. */
    NOT_HELD_WHILE_OPEN(Invariant.I1),

    /** A repeated send is not recognised, and makes another task. */
    REPEATED_SEND_NOT_RECOGNISED(Invariant.I1),

    /** The same, but the answers look right: only the store holds one task too many. */
    REPEATED_SEND_MADE_TWICE_IN_SECRET(Invariant.I2),

    /** Now and then a task goes to two claims. */
    HANDED_OUT_TWICE(Invariant.I4),

    /** Now and then an accepted task is not kept. */
    FORGETFUL(Invariant.I2),

    /** Vanished attempts are not counted, so a poison task never ends. */
    VANISHED_NOT_COUNTED(Invariant.I7),

    /** A late completion replaces the result of a completed task. */
    RESULT_OVERWRITTEN(Invariant.I6),

    /** Other input under the same key is answered with the existing task. */
    CONFLICT_MERGED(Invariant.I1),

    /** Leases do not end: the tasks of a dead worker stay with it. */
    LEASES_DO_NOT_END(Invariant.I7),

    /** A claim gets all suspects that there are. */
    SUSPECTS_NOT_LIMITED(Invariant.SUSPECTS),

    /** A rerun after a failure begins a lineage of its own, so its tokens are new ones. */
    LINEAGE_LOST(Invariant.TOKENS),

    /** Mutexes are forgotten. */
    MUTEX_IGNORED(Invariant.MUTEX),

    /** A pause changes nothing. */
    PAUSE_IGNORED(Invariant.LIMITS),

    /** A concurrency changes nothing. */
    CONCURRENCY_IGNORED(Invariant.LIMITS),

    /** A rate limit changes nothing. */
    RATE_IGNORED(Invariant.LIMITS),

    /** Now and then no dead letter is submitted. */
    LETTER_LOST(Invariant.LETTERS),

    /** Data that should go with the end stays. */
    DATA_STAYS(Invariant.DATA),

    /** An attempt that is over can intend an effect. */
    INTENT_NOT_FENCED(Invariant.I4),

    /** An attempt that is over can record an outcome. */
    OUTCOME_NOT_FENCED(Invariant.I4),

    /** Now and then an intent is not kept. */
    INTENT_DROPPED(Invariant.INTENTS),

    /** The same, seen from the other side: an effect whose outcome is unknown runs as if for the first time. */
    INTENT_DROPPED_AND_EFFECT_REPEATED(Invariant.UNKNOWN),

    /** A rerun knows nothing of what its lineage recorded. */
    LEDGER_FORGOTTEN_ON_RERUN(Invariant.I5),

    /** The window of a provider changes nothing. */
    WINDOW_IGNORED(Invariant.WINDOWS),

    /** A task is parked although somebody said meanwhile what happened to its effect. */
    PARK_OVERSLEEPS(Invariant.I7),

    /** A resolution lets no task continue. */
    RESOLVE_WAKES_NOBODY(Invariant.I7),

    /** The version of a schedule is not compared, so that two schedulers make the same tick. */
    SCHEDULE_VERSION_IGNORED(Invariant.TICKS);

    private final Invariant broken;

    PlantedBug(Invariant broken) {
        this.broken = broken;
    }

    Invariant broken() {
        return broken;
    }

    @Override
    public TaskStore open(ManualClock clock) {
        TaskStore right = new InMemoryTaskStore(clock);
        return switch (this) {
            case SCHEDULE_VERSION_IGNORED -> new WrongSchedules.VersionIgnored(right);
            case NO_ATTEMPT_CHECK -> new NoAttemptCheck(right);
            case NOT_HELD_WHILE_OPEN -> new NotHeldWhileOpen(right);
            case REPEATED_SEND_NOT_RECOGNISED -> new RepeatedSendNotRecognised(right);
            case REPEATED_SEND_MADE_TWICE_IN_SECRET -> new RepeatedSendInSecret(right);
            case HANDED_OUT_TWICE -> new HandedOutTwice(right);
            case FORGETFUL -> new Forgetful(right, clock);
            case VANISHED_NOT_COUNTED -> new VanishedNotCounted(right);
            case RESULT_OVERWRITTEN -> new ResultOverwritten(right);
            case CONFLICT_MERGED -> new ConflictMerged(right);
            case LEASES_DO_NOT_END -> new WrongLeases.LeasesDoNotEnd(right);
            case SUSPECTS_NOT_LIMITED -> new WrongLeases.SuspectsNotLimited(right);
            case LINEAGE_LOST -> new LineageLost(right);
            case MUTEX_IGNORED -> new WrongQueues.MutexIgnored(right);
            case PAUSE_IGNORED ->
                new WrongQueues.SettingIgnored(right, said -> WrongQueues.with(said, false, true, true, true));
            case CONCURRENCY_IGNORED ->
                new WrongQueues.SettingIgnored(right, said -> WrongQueues.with(said, true, false, true, true));
            case RATE_IGNORED ->
                new WrongQueues.SettingIgnored(right, said -> WrongQueues.with(said, true, true, false, true));
            case LETTER_LOST -> new WrongQueues.LetterLost(right);
            case DATA_STAYS ->
                new WrongQueues.SettingIgnored(right, said -> WrongQueues.with(said, true, true, true, false));
            case INTENT_NOT_FENCED ->
                new WrongEffects.NotFenced(right, settlement -> settlement instanceof Settlement.Intend);
            case OUTCOME_NOT_FENCED ->
                new WrongEffects.NotFenced(right, settlement -> settlement instanceof Settlement.Conclude);
            case INTENT_DROPPED, INTENT_DROPPED_AND_EFFECT_REPEATED -> new WrongEffects.IntentDropped(right);
            case LEDGER_FORGOTTEN_ON_RERUN -> new WrongEffects.ForgottenOnRerun(right);
            case WINDOW_IGNORED -> new WrongEffects.WindowIgnored(right);
            case PARK_OVERSLEEPS -> new WrongEffects.ParkOversleeps(right);
            case RESOLVE_WAKES_NOBODY -> new WrongEffects.ResolveWakesNobody(right);
        };
    }

    // ---- the bugs

    private static final class NoAttemptCheck extends WrongStore {

        NoAttemptCheck(TaskStore right) {
            super(right);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            List<Settled> answers = new ArrayList<>();
            for (Settlement settlement : batch) {
                answers.addAll(right.settle(List.of(newest(settlement))));
            }
            return answers;
        }

        private Settlement newest(Settlement settlement) {
            TaskId id = settlement.lease().taskId();
            Task task = right.find(List.of(id)).get(id);
            return task != null && task.state() == TaskState.RUNNING
                    ? under(
                            settlement,
                            new Lease(
                                    id,
                                    task.progress().attempt(),
                                    settlement.lease().claim()))
                    : settlement;
        }
    }

    private static final class NotHeldWhileOpen extends WrongStore.Repainted {

        // The true store knows each later life of such an identity under another key.
        private final Map<Identity, Identity> lives = new HashMap<>();
        private final Map<Identity, Identity> names = new HashMap<>();

        NotHeldWhileOpen(TaskStore right) {
            super(right);
        }

        private Identity life(Identity identity) {
            return lives.getOrDefault(identity, identity);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = new ArrayList<>();
            for (SubmitRequest request : batch) {
                answers.addAll(right.submit(List.of(
                        request instanceof NewTask item && item.key() != null
                                ? inItsLife(item, item.key())
                                : request)));
            }
            return answers;
        }

        private NewTask inItsLife(NewTask item, NewTask.KeyRequest key) {
            Identity name = key.identity();
            KeyRecord record = right.record(life(name)).orElse(null);
            boolean known = !right.find(List.of(item.id())).isEmpty();
            if (record != null && record.windowPassed() && record.state().isOpen() && !known) {
                Identity next = new Identity(
                        name.tenant(), name.scopeKind(), name.scopeName(), name.key() + "+" + names.size());
                lives.put(name, next);
                names.put(next, name);
            }
            return with(item, item.id(), new NewTask.KeyRequest(life(name), key.inputHash(), key.ttl(), key.policy()));
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            return right.operate(batch.stream()
                    .map(operation -> operation instanceof Operation.ReleaseKey release
                            ? new Operation.ReleaseKey(life(release.identity()), release.taskId())
                            : operation)
                    .toList());
        }

        @Override
        Task painted(Task task) {
            Identity identity = task.identity();
            return identity == null || !names.containsKey(identity)
                    ? task
                    : with(task, names.get(identity), task.lineage(), task.progress());
        }

        @Override
        public Optional<KeyRecord> record(Identity identity) {
            return right.record(life(identity))
                    .map(record -> new KeyRecord(
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
                            record.lastDuplicateAt()));
        }
    }

    private static final class RepeatedSendNotRecognised extends WrongStore.Resubmitting {

        private final Set<TaskId> seen = new HashSet<>();

        RepeatedSendNotRecognised(TaskStore right) {
            super(right);
        }

        @Override
        Submitted submit(NewTask item) {
            return rightly(seen.add(item.id()) ? item : with(item, another(item.id(), seen.size()), item.key()));
        }
    }

    private static final class RepeatedSendInSecret extends WrongStore.Resubmitting {

        private final Set<TaskId> seen = new HashSet<>();
        private int repeated;

        RepeatedSendInSecret(TaskStore right) {
            super(right);
        }

        @Override
        Submitted submit(NewTask item) {
            if (!seen.add(item.id()) && item.key() == null) {
                repeated++;
                rightly(with(item, another(item.id(), repeated), null));
            }
            return rightly(item);
        }
    }

    private static final class HandedOutTwice extends WrongStore {

        private List<Claimed> before = List.of();
        private int claims;

        HandedOutTwice(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            Claims answer = right.claim(request);
            if (++claims % 10 == 0 && answer.tasks().isEmpty() && !before.isEmpty()) {
                return new Claims(before.subList(0, 1), answer.nextDue());
            }
            if (!answer.tasks().isEmpty()) {
                before = answer.tasks();
            }
            return answer;
        }
    }

    private static final class Forgetful extends WrongStore.Resubmitting {

        private int sent;

        private final ManualClock clock;

        Forgetful(TaskStore right, ManualClock clock) {
            super(right);
            this.clock = clock;
        }

        @Override
        Submitted submit(NewTask item) {
            if (++sent % 25 == 0
                    && item.key() == null
                    && right.find(List.of(item.id())).isEmpty()) {
                return new InMemoryTaskStore(clock).submit(List.of(item)).getFirst(); // kept there, and that is gone
            }
            return rightly(item);
        }
    }

    private static final class VanishedNotCounted extends WrongStore.Repainted {

        VanishedNotCounted(TaskStore right) {
            super(right);
        }

        @Override
        Task painted(Task task) {
            Progress p = task.progress();
            return with(
                    task,
                    task.identity(),
                    task.lineage(),
                    new Progress(
                            p.state(),
                            p.attempt(),
                            p.failures(),
                            0,
                            p.dueAt(),
                            p.cancelRequested(),
                            p.finishedAt(),
                            p.result(),
                            p.lastError()));
        }
    }

    private static final class ResultOverwritten extends WrongStore.Repainted {

        private final Map<TaskId, String> written = new HashMap<>();

        ResultOverwritten(TaskStore right) {
            super(right);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            List<Settled> answers = right.settle(batch);
            for (int i = 0; i < batch.size(); i++) {
                if (batch.get(i) instanceof Settlement.Complete late && answers.get(i) == Settled.STALE) {
                    written.put(late.lease().taskId(), late.result());
                }
            }
            return answers;
        }

        @Override
        Task painted(Task task) {
            Progress p = task.progress();
            return task.state() != TaskState.COMPLETED || !written.containsKey(task.id())
                    ? task
                    : with(
                            task,
                            task.identity(),
                            task.lineage(),
                            new Progress(
                                    p.state(),
                                    p.attempt(),
                                    p.failures(),
                                    p.vanished(),
                                    p.dueAt(),
                                    p.cancelRequested(),
                                    p.finishedAt(),
                                    written.get(task.id()),
                                    p.lastError()));
        }
    }

    private static final class ConflictMerged extends WrongStore.Resubmitting {

        ConflictMerged(TaskStore right) {
            super(right);
        }

        @Override
        Submitted submit(NewTask item) {
            Submitted answer = rightly(item);
            return answer instanceof Submitted.Conflicted conflicted
                    ? new Submitted.Returned(conflicted.existing(), false)
                    : answer;
        }
    }

    private static final class LineageLost extends WrongStore.Repainted {

        LineageLost(TaskStore right) {
            super(right);
        }

        @Override
        Task painted(Task task) {
            return with(task, task.identity(), task.id(), task.progress());
        }

        @Override
        public Optional<KeyRecord> record(Identity identity) {
            return right.record(identity)
                    .map(record -> new KeyRecord(
                            record.identity(),
                            record.taskId(),
                            record.type(),
                            record.inputHash(),
                            record.run(),
                            record.taskId(),
                            record.createdAt(),
                            record.expiresAt(),
                            record.windowPassed(),
                            record.state(),
                            record.finishedAt(),
                            record.dataGone(),
                            record.duplicates(),
                            record.lastDuplicateAt()));
        }
    }
}
