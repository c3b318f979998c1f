package dev.semel.storetests.storm;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One item of a call: what was asked, what was answered, and when.
 *
 * @param actor the caller
 * @param span when
 * @param after the item before it in the same batch, which takes effect first; null for none
 * @param action what was asked and answered
 * @param certainty what is known of its effect
 */
record StormOperation(int actor, Span span, @Nullable StormOperation after, Action action, Certainty certainty) {

    /** Of the clock's milliseconds, only what differs within a round is shown. */
    static final long SHORT_CLOCK = 10_000_000;

    /** What is known of the effect of an operation. */
    enum Certainty {
        /** It was sent once and answered: it took effect once, with this answer. */
        ANSWERED,
        /** It was sent several times: the first effective send decided, the answer is that of a later one. */
        REPEATED,
        /** Its answer was lost: it took effect or it did not. */
        LOST
    }

    /** What was asked, and the answer where there is one. */
    sealed interface Action {}

    /** A submission. */
    record Submit(NewTask item, @Nullable Submitted answer) implements Action {}

    /** One task that a claim gave. */
    record Claim(Claimed claimed, Duration lease) implements Action {}

    /** A settlement. */
    record Settle(Settlement settlement, @Nullable Settled answer, boolean inTransaction) implements Action {}

    /** An operation of an operator, or a cancellation by a submitter. */
    record Operate(Operation operation, @Nullable Operated answer) implements Action {}

    /** A read of a task; null if it is not stored. */
    record Look(TaskId id, @Nullable Task found) implements Action {}

    /** A read of the record of an identity; null if there is none. */
    record LookUp(Identity identity, @Nullable KeyRecord found) implements Action {}

    /** A signal to a workflow. */
    record Signal(SubmitRequest.Signal signal, Submitted.@Nullable Signalled answer) implements Action {}

    /** A step of a workflow whose key another task had. */
    record StepReturned(NewTask item, TaskId existing) implements Action {}

    /** A read of the record of a dead letter: of the task in the dead-letter queue; null if there is none. */
    record LetterLook(AttemptId death, @Nullable KeyRecord found) implements Action {}

    /** What is known of this operation with its other sends: one of an earlier batch may have been the effective one. */
    StormOperation with(Span newSpan, Action newAction, Certainty newCertainty) {
        return new StormOperation(
                actor, newSpan, newCertainty == Certainty.ANSWERED ? after : null, newAction, newCertainty);
    }

    /** Returns whether its answer means that it changed nothing. */
    boolean isQuiet() {
        return switch (action) {
            case Submit(NewTask item, Submitted answer) -> answer != null && !(answer instanceof Submitted.Created);
            case Settle(Settlement settlement, Settled answer, boolean inTransaction) ->
                answer != null && answer != Settled.APPLIED && answer != Settled.CANCEL_REQUESTED;
            case Operate(Operation operation, Operated answer) ->
                answer != null && answer != Operated.APPLIED && answer != Operated.CANCEL_REQUESTED;
            case Look look -> true;
            case LookUp lookUp -> true;
            case LetterLook letter -> true;
            case Signal signal -> signal.answer() != null && signal.answer() != Submitted.Signalled.ACCEPTED;
            case StepReturned returned -> true;
            case Claim claim -> false;
        };
    }

    /** Each operation is one of its own, even if another one asked the same and was answered the same. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** Returns one line for the report. */
    String line(long since) {
        return "%9.3f..%9.3f ms  clock %d..%d  actor %d  %s%s"
                .formatted(
                        (span.asked() - since) / 1e6,
                        (span.answered() - since) / 1e6,
                        span.clockAsked() % SHORT_CLOCK,
                        span.clockAnswered() % SHORT_CLOCK,
                        actor,
                        certainty == Certainty.ANSWERED ? "" : certainty + " ",
                        text());
    }

    private String text() {
        return switch (action) {
            case Submit(NewTask item, Submitted answer) -> {
                NewTask.KeyRequest key = item.key();
                yield "submit " + item.id() + " " + item.type() + " " + item.input()
                        + (key == null
                                ? ""
                                : " ttl " + key.ttl().toMillis() + " policy "
                                        + key.policy().text())
                        + " -> " + answer;
            }
            case Claim(Claimed claimed, Duration lease) ->
                "claim for " + lease.toMillis() + " -> " + claimed.lease() + " run "
                        + claimed.task().run() + " created " + claimed.task().createdAt() + " of "
                        + claimed.task().queue();
            case Settle(Settlement settlement, Settled answer, boolean inTransaction) ->
                settlement + (inTransaction ? " in a transaction" : "") + " -> " + answer;
            case Operate(Operation operation, Operated answer) -> operation + " -> " + answer;
            case Look(TaskId id, Task found) ->
                "find " + id + " -> "
                        + (found == null
                                ? null
                                : "run " + found.run() + " created " + found.createdAt() + " " + found.progress());
            case LookUp(Identity identity, KeyRecord found) -> "record -> " + found;
            case Signal(SubmitRequest.Signal signal, Submitted.Signalled answer) -> signal + " -> " + answer;
            case StepReturned(NewTask item, TaskId existing) -> "step " + item.id() + " -> " + existing;
            case LetterLook(AttemptId death, KeyRecord found) -> "letter of " + death + " -> " + found;
        };
    }
}
