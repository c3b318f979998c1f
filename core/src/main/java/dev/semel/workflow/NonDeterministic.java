package dev.semel.workflow;

import dev.semel.store.HistoryLine;
import dev.semel.task.SemelException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The code of a workflow no longer fits its history. The workflow stops where it is, and nothing is lost: it is tried again later, and
 * at once when it is resumed.
 */
public final class NonDeterministic extends SemelException {

    private static final long serialVersionUID = 1L;

    /** The number of the line at which they differ. */
    private final int number;

    private final transient @Nullable HistoryLine recorded;

    /**
     * Creates the exception.
     *
     * @param message what differs
     * @param number the number of the line at which they differ
     * @param recorded what the history has there, or null
     */
    public NonDeterministic(String message, int number, @Nullable HistoryLine recorded) {
        super(message);
        this.number = number;
        this.recorded = recorded;
    }

    /**
     * Returns where the code and the history differ.
     *
     * @return the number of the line
     */
    public int line() {
        return number;
    }

    /**
     * Returns what the history has there.
     *
     * @return the line; empty if the history ends before it
     */
    public Optional<HistoryLine> recorded() {
        return Optional.ofNullable(recorded);
    }
}
