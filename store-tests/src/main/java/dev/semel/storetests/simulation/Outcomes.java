package dev.semel.storetests.simulation;

import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.Evidence.Handed;
import dev.semel.storetests.simulation.Evidence.Read;
import dev.semel.storetests.simulation.Evidence.Send;
import dev.semel.storetests.simulation.Evidence.Sweeping;
import dev.semel.storetests.simulation.KeyStory.Taking;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts what the parties were answered, so that a generator that brings about less and less is noticed. */
final class Outcomes {

    private final Evidence evidence;
    private final Tally tally;

    private Outcomes(Evidence evidence, Tally tally) {
        this.evidence = evidence;
        this.tally = tally;
    }

    static void count(Evidence evidence, Tally tally) {
        Outcomes outcomes = new Outcomes(evidence, tally);
        evidence.tasks().forEach(outcomes::count);
        evidence.keys().forEach(outcomes::count);
        evidence.queueChanges().forEach(outcomes::countOfQueue);
        EffectOutcomes.count(evidence, tally);
        countTicks(evidence, tally);
        for (Sweeping sweeping : evidence.sweeps()) {
            Swept swept = sweeping.swept();
            if (swept != null) {
                tally.count(Happening.TASKS_SWEPT, swept.tasks());
                tally.count(Happening.RECORDS_SWEPT, swept.records());
            }
        }
    }

    private static void countTicks(Evidence evidence, Tally tally) {
        Set<Operation> applied = new HashSet<>();
        for (Change.Operate sent : evidence.scheduleChanges()) {
            Operation.ChangeSchedule change = (Operation.ChangeSchedule) sent.item();
            boolean before = applied.contains(change);
            if (sent.answer() == Operated.STALE) {
                tally.count(Happening.TICK_REFUSED);
            } else if (sent.applied() && before) {
                tally.count(Happening.TICK_REPEATED);
            } else if (sent.applied() && !change.create().isEmpty()) {
                tally.count(change.cancel().isEmpty() ? Happening.TICK_MADE : Happening.TICK_REPLACED);
            }
            if (sent.mayHaveApplied()) {
                applied.add(change);
            }
        }
    }

    /** The task that a submission was answered with. */
    static TaskId idOf(Submitted answer) {
        return switch (answer) {
            case Submitted.Created created -> created.taskId();
            case Submitted.Busy busy -> throw new IllegalStateException("No other transactions exist here");
            case Submitted.Returned returned -> returned.existing().taskId();
            case Submitted.Rejected rejected -> rejected.existing().taskId();
            case Submitted.Conflicted conflicted -> conflicted.existing().taskId();
            case Submitted.Cancellation cancellation ->
                throw new IllegalArgumentException("An answer to a cancellation: " + cancellation);
            case Submitted.Signalled signalled ->
                throw new IllegalArgumentException("An answer to a signal: " + signalled);
        };
    }

    private void count(TaskStory task) {
        if (task.birthTimes().size() > 1) {
            tally.count(Happening.REBORN);
        }
        boolean sent = false;
        for (Send send : task.sends()) {
            countAnswer(send, sent);
            sent |= send.mayHaveCreated();
        }
        for (Handed handed : task.handed()) {
            if (handed.claimed().task().progress().vanished() > 0) {
                tally.count(Happening.CLAIMED_AFTER_VANISHED);
            }
            String queue = handed.claimed().task().queue();
            if (queue.equals(Queueing.NARROW) || queue.equals(Queueing.METERED)) {
                tally.count(Happening.STARTED_UNDER_A_LIMIT);
            }
            if (handed.request().repeated()) {
                tally.count(Happening.CLAIM_REPEATED);
            }
        }
        for (Read read : task.reads()) {
            countSeen(read.task());
        }
        if (task.last() != null) {
            countSeen(task.last());
            if (task.last().type().equals(DeadLetter.TYPE)) {
                tally.count(Happening.DEATH_TOLD);
            }
        }
        Set<Object> before = new HashSet<>();
        for (Change change : task.changes()) {
            countChange(change, before.contains(change.item()));
            if (change.mayHaveApplied()) {
                before.add(change.item());
            }
        }
    }

    private void countSeen(Task task) {
        if (task.dataGone()) {
            tally.count(Happening.SEEN_BARE);
        }
        // A key may be what it waits for instead.
        if (task.state() == TaskState.WAITING && task.options().mutex() != null && task.identity() == null) {
            tally.count(Happening.HELD_BY_MUTEX);
        }
    }

    private void countOfQueue(Change change) {
        if (change.applied() && change.item() instanceof Operation.SetQueue set) {
            tally.count(set.changes().isPaused() ? Happening.QUEUE_PAUSED : Happening.QUEUE_RESUMED);
        }
    }

    private void countAnswer(Send send, boolean sentBefore) {
        switch (send.answer()) {
            case null -> {}
            case Submitted.Busy busy -> {}
            case Submitted.Created created -> {
                tally.count(sentBefore ? Happening.REPEATED_SEND_RECOGNISED : Happening.CREATED);
                if (created.state() == TaskState.WAITING
                        && send.item().options().mutex() == null) {
                    tally.count(Happening.WAITING_BEHIND_REPLACED);
                }
            }
            case Submitted.Returned returned -> {
                tally.count(returned.inputDiffers() ? Happening.RETURNED_WITH_WARNING : Happening.RETURNED);
                if (returned.existing().result() != null) {
                    tally.count(Happening.RETURNED_WITH_RESULT);
                }
            }
            case Submitted.Rejected rejected -> tally.count(Happening.REJECTED);
            case Submitted.Conflicted conflicted -> tally.count(Happening.CONFLICTED);
            case Submitted.Cancellation cancellation ->
                throw new IllegalArgumentException("An answer to a cancellation: " + cancellation);
            case Submitted.Signalled signalled ->
                throw new IllegalArgumentException("An answer to a signal: " + signalled);
        }
        countExisting(send, send.existing());
    }

    private void countExisting(Send send, @Nullable ExistingTask existing) {
        if (existing == null || send.done() == null) {
            return;
        }
        if (existing.dataGone()) {
            tally.count(Happening.TOMBSTONE_ANSWERED);
        }
        NewTask holder = evidence.task(existing.taskId()).item();
        if (holder != null
                && holder.key() != null
                && existing.state().isOpen()
                && existing.createdAt()
                        .plus(holder.key().ttl())
                        .isBefore(send.done().at())) {
            tally.count(Happening.HELD_WHILE_OPEN);
        }
    }

    private void countChange(Change sorted, boolean sentBefore) {
        if (sorted.applied() && sentBefore && !(sorted.item() instanceof Settlement.Extend)) {
            tally.count(Happening.CHANGE_REPEATED);
        }
        switch (sorted) {
            case Change.Settle settle -> {
                Settled answer = settle.answer();
                if (answer != null) {
                    boolean heeded = settle.item() instanceof Settlement.Cancelled;
                    if (heeded && !sorted.party().equals(LeaseThief.NAME)) {
                        tally.count(Happening.CANCELLATION_HEEDED);
                    }
                    countSettlement(settle.item(), answer);
                }
            }
            case Change.Operate operate -> {
                Operated answer = operate.answer();
                if (answer != null) {
                    countOperation(operate.item(), answer);
                }
            }
        }
    }

    private void countOperation(Operation operation, Operated answer) {
        switch (operation) {
            case Operation.Cancel cancel -> {
                if (answer == Operated.APPLIED) {
                    tally.count(Happening.CANCELLED_AT_ONCE);
                } else if (answer == Operated.CANCEL_REQUESTED) {
                    tally.count(Happening.CANCELLATION_ASKED);
                }
            }
            case Operation.Redrive redrive -> {
                switch (answer) {
                    case APPLIED -> tally.count(Happening.REDRIVEN);
                    case SUPERSEDED -> tally.count(Happening.REDRIVE_SUPERSEDED);
                    case STALE -> tally.count(Happening.REDRIVE_STALE);
                    case CANCEL_REQUESTED, NOT_FOUND, HELD, CIRCLE -> {}
                }
            }
            case Operation.Erase erase -> {}
            case Operation.Restart restart -> {}
            case Operation.ReleaseKey release -> {}
            case Operation.Resolve resolve -> {}
            case Operation.ChangeSchedule change -> {}
            case Operation.OfQueue change -> {}
        }
    }

    private void countSettlement(Settlement settlement, Settled answer) {
        if (settlement instanceof Settlement.Intend
                || settlement instanceof Settlement.Refer
                || settlement instanceof Settlement.Conclude) {
            return; // EffectOutcomes counts them
        }
        if (answer == Settled.STALE) {
            boolean extension = settlement instanceof Settlement.Extend;
            tally.count(extension ? Happening.EXTENSION_REFUSED : Happening.STALE_REFUSED);
            if (settlement instanceof Settlement.Complete) {
                tally.count(Happening.ZOMBIE_COMPLETION_REFUSED);
            }
            return;
        }
        if (answer == Settled.CANCEL_REQUESTED) {
            tally.count(Happening.CANCELLATION_TOLD);
        }
        if (answer == Settled.APPLIED) {
            switch (settlement) {
                case Settlement.Complete complete -> tally.count(Happening.COMPLETED);
                case Settlement.Retry retry -> tally.count(Happening.RETRIED);
                case Settlement.PutBack putBack -> tally.count(Happening.PUT_BACK);
                case Settlement.Fail fail -> {
                    tally.count(fail.timedOut() ? Happening.TIMED_OUT : Happening.FAILED);
                    if (fail.error().contains("attempts vanished")) {
                        tally.count(Happening.BURIED);
                    }
                }
                case Settlement.Cancelled cancelled -> {}
                case Settlement.Park park -> {}
                case Settlement.Wait wait -> {}
                case Settlement.Continue next -> {}
                case Settlement.Advance advance -> {}
                case Settlement.Intend intend -> {}
                case Settlement.Refer refer -> {}
                case Settlement.Conclude conclude -> {}
                case Settlement.Extend extend -> {}
            }
        }
    }

    private void count(KeyStory key) {
        for (Change release : key.releases()) {
            if (release.answeredApplied()) {
                tally.count(Happening.KEY_RELEASED);
            } else if (release.answer() == Operated.HELD) {
                tally.count(Happening.KEY_HELD);
            }
        }
        for (Taking taking : key.takings()) {
            if (taking.birth() == null) {
                continue;
            }
            Task task = evidence.task(taking.taskId()).seen();
            boolean follows = key.takings().stream().anyMatch(other -> other.isCertainlyBefore(taking));
            if (taking.birth().run() == 1 && follows) {
                tally.count(Happening.TAKEN_OVER_AFTER_EXPIRY);
            } else if (taking.birth().run() > 1 && task != null) {
                boolean same = !task.lineage().equals(task.id());
                tally.count(same ? Happening.RERUN_IN_LINEAGE : Happening.NEW_LINEAGE);
            }
        }
    }
}
