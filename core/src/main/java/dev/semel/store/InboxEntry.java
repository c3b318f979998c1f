package dev.semel.store;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry in the inbox of a workflow: something that happened outside of its code and may let it continue.
 *
 * @param number its number, from 1, without gaps, in the order of acceptance
 * @param name the name of the signal, or the task type of the step
 * @param step the step that has ended; null for a signal
 * @param state how the step ended; null for a signal
 * @param key the key of the signal; null for a step
 * @param document the result of the step, or what the signal carries, in JSON; null for none
 * @param error why the step ended without success, or null
 * @param at when it was accepted, by the store's clock
 */
public record InboxEntry(
        int number,
        String name,
        @Nullable TaskId step,
        @Nullable TaskState state,
        @Nullable String key,
        @Nullable String document,
        @Nullable String error,
        Instant at) {

    /**
     * Returns whether a workflow that waits for several steps is woken by this entry alone.
     *
     * @return true for a signal, and for a step that ended without success
     */
    public boolean isUrgent() {
        return state != TaskState.COMPLETED;
    }

    /**
     * Returns the bytes that count against the size of a history.
     *
     * @return an estimate
     */
    public long bytes() {
        return StoredFlow.bytes(document) + StoredFlow.bytes(error);
    }

    /** The entry once a generation has ended: a cancellation that was requested gets a key of its own. */
    InboxEntry ofGeneration(int ended) {
        return StoredFlow.CANCEL_KEY.equals(key)
                ? new InboxEntry(number, name, step, state, StoredFlow.formerCancelKey(ended), document, error, at)
                : this;
    }

    /** The entry of a signal that an earlier generation has received: only its key is left. */
    InboxEntry received() {
        return new InboxEntry(number, Continuation.RECEIVED, step, state, key, null, null, at);
    }

    InboxEntry numbered(int next) {
        return new InboxEntry(next, name, step, state, key, document, error, at);
    }

    /** {@return the entry without its document and error} */
    @Override
    public String toString() {
        return "InboxEntry[" + number + " " + name + (step == null ? " signal " + key : " " + step + " " + state) + "]";
    }
}
