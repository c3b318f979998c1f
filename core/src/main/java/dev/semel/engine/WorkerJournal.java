package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.store.History;
import dev.semel.store.NewLine;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.LeaseLost;
import dev.semel.task.Limits;
import dev.semel.task.PermanentFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The journal of an attempt that a worker runs. */
final class WorkerJournal implements Journal {

    // No entry of the inbox but an urgent one wakes a workflow that cannot continue with its history.
    private static final int NO_NUMBER_OF_ENTRIES = 1_000_000_000;

    private final TaskContext context;
    private final Codec codec;
    private final Ledger ledger;
    private Instant read = Instant.EPOCH;

    WorkerJournal(TaskContext context, Codec codec, Ledger ledger) {
        this.context = context;
        this.codec = codec;
        this.ledger = ledger;
    }

    @Override
    public Task task() {
        return context.task();
    }

    @Override
    public Codec codec() {
        return codec;
    }

    @Override
    public RandomGenerator random() {
        return ledger.random();
    }

    @Override
    public History read(int lines, int inbox) throws InterruptedException {
        History history = ledger.history(new History.Query(context.taskId(), lines, inbox));
        read = history.now();
        return history;
    }

    @Override
    public void add(int first, List<NewLine> lines) throws InterruptedException {
        context.requireOpen("add to its history");
        Settled answer = ledger.record(new Settlement.Advance(context.claimed().lease(), first, lines));
        switch (answer) {
            case APPLIED -> {}
            case FULL ->
                throw new PermanentFailure("The history of a workflow has at most " + Limits.HISTORY_LINES
                        + " lines and " + Limits.HISTORY_BYTES
                        + " characters, and this one is full. Split the workflow, or let it continue as new.");
            case STALE, NOT_FOUND, CANCEL_REQUESTED, CONCLUDED, TOO_LATE, BUSY -> {
                context.loseLease();
                throw new LeaseLost("Another attempt has taken over from attempt " + context.attempt() + " of task "
                        + context.taskId() + ", so it can no longer start steps.");
            }
        }
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> LocalOutcome<T> local(
            EffectCall<T> call, Effect<T, X> step, boolean readAgain, boolean runs) throws X {
        return context.effects().local(call, step, readAgain, runs);
    }

    @Override
    public void referAgain(EffectCall<?> call) {
        try {
            context.effects().referAgain(call);
        } catch (InterruptedException e) {
            throw Effects.interrupted(call, e);
        }
    }

    @Override
    public Suspended suspend(int seen, int more, Until until) {
        return context.endWith(wait(seen, more, until));
    }

    @Override
    public Suspended addAndSuspend(int first, List<NewLine> lines, Runnable applied, int seen, int more, Until until) {
        context.requireOpen("add to its history");
        return context.endWith(
                wait(seen, more, until),
                new TaskContext.UnsentLines(
                        new Settlement.Advance(context.claimed().lease(), first, lines), applied));
    }

    private Settlement.Wait wait(int seen, int more, Until until) {
        Instant wakeAt = switch (until) {
            case Until.Woken() -> null;
            case Until.At(Instant time) -> time;
        };
        return new Settlement.Wait(context.claimed().lease(), seen, more, wakeAt, null);
    }

    @Override
    public Suspended continueAsNew(int seen, List<Integer> unread, String input, Instant since) {
        return context.endWith(new Settlement.Continue(context.claimed().lease(), seen, unread, input, since));
    }

    @Override
    public Suspended stop(int seen, Duration delay, String error) {
        return context.endWith(
                new Settlement.Wait(context.claimed().lease(), seen, NO_NUMBER_OF_ENTRIES, read.plus(delay), error));
    }

    @Override
    public Suspended cancelled() {
        return context.endWith(new Settlement.Cancelled(context.claimed().lease()));
    }

    @Override
    public Suspended timedOut(String error) {
        return context.endWith(new Settlement.Fail(context.claimed().lease(), true, error));
    }
}
