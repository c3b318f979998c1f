package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.store.History;
import dev.semel.store.NewLine;
import dev.semel.store.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The access of a replayed handler to the history of its workflow, under the lease of its attempt. */
public interface Journal {

    /**
     * Returns the task of the workflow.
     *
     * @return the task as it was claimed
     */
    Task task();

    /**
     * Returns what converts inputs and results.
     *
     * @return the codec
     */
    Codec codec();

    /**
     * Returns the source of randomness for recorded values.
     *
     * @return the source
     */
    RandomGenerator random();

    /**
     * Reads the newest part of the history, however long the store needs to answer.
     *
     * @param lines how many lines are known
     * @param inbox how many entries of the inbox are known
     * @return what is newer
     * @throws InterruptedException if the thread was interrupted
     */
    History read(int lines, int inbox) throws InterruptedException;

    /**
     * Adds lines to the history and waits until they are durable and their steps are started.
     *
     * @param first the number of the first line
     * @param lines the lines
     * @throws InterruptedException if the thread was interrupted; the lines may be added nevertheless
     * @throws dev.semel.task.LeaseLost if another attempt has taken over
     * @throws dev.semel.task.PermanentFailure if the history would become too long
     */
    void add(int first, List<NewLine> lines) throws InterruptedException;

    /**
     * Runs a local step, unless it is known how it ended or a person has to resolve it. Then the code goes on, and the resolution will be an
     * entry in the inbox.
     *
     * @param call the local step
     * @param step the function
     * @param readAgain whether the ledger may have changed since this attempt read it
     * @param runs whether it may run; otherwise it is left to a person unless it is done
     * @param <T> the class of its result
     * @param <X> the exception of the function
     * @return what is known of it
     * @throws X the exception of the function
     */
    <T extends @Nullable Object, X extends Exception> LocalOutcome<T> local(
            EffectCall<T> call, Effect<T, X> step, boolean readAgain, boolean runs) throws X;

    /**
     * Leaves a local step to a person again, although a person gave it up before.
     *
     * @param call the local step
     */
    void referAgain(EffectCall<?> call);

    /**
     * Ends the attempt with a wait. The handler must throw what is returned; whatever it does instead, its task waits.
     *
     * @param seen the number of the newest entry of the inbox that was seen
     * @param more how many further entries are needed
     * @param until when it continues at the latest
     * @return the error to throw
     */
    Suspended suspend(int seen, int more, Until until);

    /**
     * Adds lines to the history and ends the attempt with a wait, in one call to the store that the handler does not wait for: neither
     * happens without the other. If the history would become too long, neither happens and the attempt is put back.
     *
     * @param first the number of the first line
     * @param lines the lines; only such as the store decides nothing about: no keys, no abandoned steps, no answers
     * @param applied called once the lines are stored and the attempt has ended
     * @param seen the number of the newest entry of the inbox that was seen
     * @param more how many further entries are needed
     * @param until when it continues at the latest
     * @return the error to throw
     */
    Suspended addAndSuspend(int first, List<NewLine> lines, Runnable applied, int seen, int more, Until until);

    /**
     * Ends the attempt and begins the next generation of the history, with another input and no lines.
     *
     * @param seen the number of the newest entry of the inbox that was seen
     * @param unread the numbers of those up to there that the next generation gets
     * @param input the new input in JSON
     * @param since from when on the time limit of the workflow counts
     * @return the error to throw
     */
    Suspended continueAsNew(int seen, List<Integer> unread, String input, Instant since);

    /**
     * Ends the attempt because the code cannot continue with this history. It is tried again later.
     *
     * @param seen the number of the newest entry of the inbox that was seen
     * @param delay how long until it is tried again
     * @param error why it cannot continue
     * @return the error to throw
     */
    Suspended stop(int seen, Duration delay, String error);

    /**
     * Ends the attempt and the workflow as cancelled, because its code has ended after it was notified of its cancellation.
     *
     * @return the error to throw
     */
    Suspended cancelled();

    /**
     * Ends the attempt and the workflow as timed out, because its code has ended after its time limit has passed.
     *
     * @param error what is kept as its error
     * @return the error to throw
     */
    Suspended timedOut(String error);

    /** When a wait ends at the latest. */
    sealed interface Until {

        /** There is no such time. */
        record Woken() implements Until {}

        /**
         * A time by the store's clock.
         *
         * @param time the time
         */
        record At(Instant time) implements Until {}
    }
}
