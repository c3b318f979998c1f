package dev.semel.workflow;

import dev.semel.engine.LocalOutcome;
import dev.semel.store.InboxEntry;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A local step that the code has come past: done, or open because a person has to resolve it.
 *
 * <p>Its end has a place in the order of the inbox, as that of a task has. If no person had to resolve it, that is before all entries.
 * Otherwise it is the last resolution, also if that said that nothing had happened and the function ran again. A replay that reads more of
 * the inbox finds the same: while the step was open there was no such entry, and once it has ended there is no later one.
 *
 * <p>What a turn knows of it is fixed when the code comes past it, because the function runs only there.
 */
final class LocalStep<T extends @Nullable Object> extends Step<T> {

    private final LocalSteps owner;
    private final String label;
    private final LocalOutcome<T> outcome;
    private final List<InboxEntry> resolutions;
    private final int considered;
    private @Nullable InboxEntry end;

    LocalStep(LocalSteps owner, String label, LocalOutcome<T> outcome, List<InboxEntry> resolutions, int considered) {
        this.owner = owner;
        this.label = label;
        this.outcome = outcome;
        this.resolutions = resolutions;
        this.considered = considered;
    }

    @Override
    public T result() {
        return owner.result(this);
    }

    @Override
    public TaskId taskId() {
        throw new InvalidInput("Local step \"" + label + "\" runs in the workflow itself and has no task of its own.");
    }

    /** The name in the ledger, and the index if it has one. */
    String label() {
        return label;
    }

    /** The number of entries in the inbox when the code came past it. */
    int considered() {
        return considered;
    }

    /** Returns whether it was done without a person, so that it never had to be waited for. */
    boolean isImmediate() {
        return resolutions.isEmpty() && outcome instanceof LocalOutcome.Done;
    }

    T value() {
        return switch (outcome) {
            case LocalOutcome.Done<T>(T result, @Nullable String resolved) -> result;
            case LocalOutcome.Referred<T> referred ->
                throw new IllegalStateException("Expected local step \"" + label + "\" to be done, but it is open");
        };
    }

    /**
     * The end, or null while it is open.
     *
     * @param after entries up to this number are of an earlier generation: what a person gave up then is asked again
     */
    @Nullable
    InboxEntry end(int after) {
        if (end == null) {
            end = find(after);
        }
        return end;
    }

    private @Nullable InboxEntry find(int after) {
        for (InboxEntry entry : resolutions) {
            if (entry.error() != null && entry.number() > after) {
                return ended(entry.number(), TaskState.FAILED, entry);
            }
        }
        if (outcome instanceof LocalOutcome.Referred) {
            return null;
        }
        InboxEntry last = null;
        for (InboxEntry entry : resolutions) {
            if (entry.error() == null) {
                last = entry;
            }
        }
        return ended(last == null ? 0 : last.number(), TaskState.COMPLETED, last);
    }

    private InboxEntry ended(int number, TaskState state, @Nullable InboxEntry by) {
        return new InboxEntry(
                number,
                label,
                null,
                state,
                null,
                null,
                by == null ? null : by.error(),
                by == null ? owner.storeTime() : by.at());
    }

    /** {@return the name} */
    @Override
    public String toString() {
        return "Step[local " + label + "]";
    }
}
