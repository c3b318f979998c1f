package dev.semel.store;

import dev.semel.task.RetryPolicy;
import dev.semel.task.TraceContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The text in which a database keeps the options of a task that no statement looks for: the retry policy and the trace
 * context, as {@code policy|traceparent|tracestate}. Parts at the end that are missing are left out, so the text of a task
 * without a trace is that of its policy alone. One column for both, because most tasks have neither, and each column costs
 * every statement that inserts or claims tasks.
 */
public final class OptionsText {

    private static final char SEPARATOR = '|';

    private OptionsText() {}

    /**
     * Writes the options.
     *
     * @param options the options
     * @return the text; null if the task has neither
     */
    public static @Nullable String of(TaskOptions options) {
        RetryPolicy retry = options.retry();
        TraceContext trace = options.trace();
        if (trace == null) {
            return retry == null ? null : retry.text();
        }
        String policy = retry == null ? "" : retry.text();
        String text = policy + SEPARATOR + trace.parent();
        return trace.state() == null ? text : text + SEPARATOR + trace.state();
    }

    /**
     * Reads the options.
     *
     * @param priority the priority
     * @param text the text that {@link #of} wrote, or null
     * @param timeout the timeout, or null
     * @param mutex the mutex, or null
     * @return the options
     */
    public static TaskOptions options(
            int priority, @Nullable String text, @Nullable Duration timeout, @Nullable String mutex) {
        if (priority == 0 && text == null && timeout == null && mutex == null) {
            return TaskOptions.NONE;
        }
        int end = text == null ? -1 : text.indexOf(SEPARATOR);
        if (text == null || end < 0) {
            return new TaskOptions(priority, text == null ? null : RetryPolicy.parse(text), timeout, mutex, null);
        }
        int state = text.indexOf(SEPARATOR, end + 1);
        TraceContext trace = new TraceContext(
                text.substring(end + 1, state < 0 ? text.length() : state),
                state < 0 ? null : text.substring(state + 1));
        return new TaskOptions(
                priority, end == 0 ? null : RetryPolicy.parse(text.substring(0, end)), timeout, mutex, trace);
    }
}
