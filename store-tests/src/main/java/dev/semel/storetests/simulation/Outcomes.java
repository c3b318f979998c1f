package dev.semel.storetests.simulation;

import dev.semel.store.Applied;
import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.Transition;
import dev.semel.storetests.simulation.Evidence.Handed;
import dev.semel.storetests.simulation.Evidence.Move;
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
        evidence.changes().forEach(outcomes::count);
        EffectOutcomes.count(evidence, tally);
        for (Sweeping sweeping : evidence.sweeps()) {
            Swept swept = sweeping.swept();
            if (swept != null) {
                tally.count(Happening.TASKS_SWEPT, swept.tasks());
                tally.count(Happening.RECORDS_SWEPT, swept.records());
            }
        }
    }

    /** The task that a submission was answered with. */
    static TaskId idOf(Submitted answer) {
        return switch (answer) {
            case Submitted.Created created -> created.taskId();
            case Submitted.Busy busy -> throw new IllegalStateException("Nobody else has transactions here");
            case Submitted.Returned returned -> returned.existing().taskId();
            case Submitted.Rejected rejected -> rejected.existing().taskId();
            case Submitted.Conflicted conflicted -> conflicted.existing().taskId();
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
        Set<Transition> before = new HashSet<>();
        for (Move move : task.moves()) {
            countMove(move, before.contains(move.move()));
            if (move.mayHaveApplied()) {
                before.add(move.move());
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

    private void count(Move change) {
        if (change.applied() && change.move() instanceof Transition.SetQueue set) {
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

    private void countMove(Move sorted, boolean sentBefore) {
        Applied answer = sorted.answer();
        if (answer == null) {
            return;
        }
        if (sorted.applied() && sentBefore && !(sorted.move() instanceof Transition.Extend)) {
            tally.count(Happening.MOVE_REPEATED);
        }
        switch (sorted.move()) {
            case Transition.Cancel cancel -> {
                if (answer == Applied.APPLIED) {
                    tally.count(Happening.CANCELLED_AT_ONCE);
                } else if (answer == Applied.CANCEL_REQUESTED) {
                    tally.count(Happening.CANCELLATION_ASKED);
                }
            }
            case Transition.Redrive redrive -> {
                switch (answer) {
                    case APPLIED -> tally.count(Happening.REDRIVEN);
                    case SUPERSEDED -> tally.count(Happening.REDRIVE_SUPERSEDED);
                    case STALE -> tally.count(Happening.REDRIVE_STALE);
                    case CANCEL_REQUESTED, NOT_FOUND, HELD, SETTLED, TOO_LATE, CIRCLE -> {}
                }
            }
            case Transition.ReleaseKey release -> {}
            case Transition.Resolve resolve -> {}
            case Transition.CountDuplicates count -> {}
            case Transition.OfQueue change -> {}
            case Transition.ByWorker byWorker -> {
                if (byWorker instanceof Transition.Cancelled && !sorted.party().equals(LeaseThief.NAME)) {
                    tally.count(Happening.CANCELLATION_HEEDED);
                }
                countWorkerMove(byWorker, answer);
            }
        }
    }

    private void countWorkerMove(Transition.ByWorker move, Applied answer) {
        if (move instanceof Transition.Intend || move instanceof Transition.Conclude) {
            return; // EffectOutcomes counts them
        }
        if (answer == Applied.STALE) {
            boolean extension = move instanceof Transition.Extend;
            tally.count(extension ? Happening.EXTENSION_REFUSED : Happening.STALE_REFUSED);
            if (move instanceof Transition.Complete) {
                tally.count(Happening.ZOMBIE_COMPLETION_REFUSED);
            }
            return;
        }
        if (answer == Applied.CANCEL_REQUESTED) {
            tally.count(Happening.CANCELLATION_TOLD);
        }
        if (answer == Applied.APPLIED) {
            switch (move) {
                case Transition.Complete complete -> tally.count(Happening.COMPLETED);
                case Transition.Retry retry -> tally.count(Happening.RETRIED);
                case Transition.PutBack putBack -> tally.count(Happening.PUT_BACK);
                case Transition.Fail fail -> {
                    tally.count(fail.timedOut() ? Happening.TIMED_OUT : Happening.FAILED);
                    if (fail.error().contains("attempts vanished")) {
                        tally.count(Happening.BURIED);
                    }
                }
                case Transition.Cancelled cancelled -> {}
                case Transition.Park park -> {}
                case Transition.Intend intend -> {}
                case Transition.Conclude conclude -> {}
                case Transition.Extend extend -> {}
            }
        }
    }

    private void count(KeyStory key) {
        for (Move release : key.releases()) {
            if (release.answer() == Applied.APPLIED) {
                tally.count(Happening.KEY_RELEASED);
            } else if (release.answer() == Applied.HELD) {
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
