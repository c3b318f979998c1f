package dev.semel.store;

import dev.semel.task.RetryPolicy;
import dev.semel.task.TraceContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text in which a database keeps the options of a task that no statement looks for: the retry policy and the trace
 * context, as {@code policy|trace|tracestate}. Parts at the end that are missing are left out, so the text of a task
 * without a trace is that of its policy alone. The text of a workflow begins with {@code ~}, its time limit in milliseconds if it has one, and
 * {@code |}: by this beginning a database finds workflows. Behind that, and otherwise at the beginning, are the time limits of a task that has
 * any, or tags: {@code !}, then total, start-by and the time until the last redrive in milliseconds and the attempt at that time, separated
 * by commas, then {@code ;} and the tags, separated by commas, and {@code |}; of these two either may be absent. One column for all, because most tasks have none of these, and each column costs every statement that inserts or
 * claims tasks.
 *
 * <p>The trace is the {@code traceparent} in 34 characters instead of 55: the digits of both ids, three of them in two
 * characters of Base64 (RFC 4648, the alphabet for URLs), then the two digits of the flags. It is a quarter of the row of a
 * small task otherwise, and every claim and every completion writes the row again.
 */
public final class OptionsText {

    /** The beginning of the text of a workflow. */
    public static final char WORKFLOW = '~';

    private static final char MARKED = '!';
    private static final char TAGS = ';';

    private static final char SEPARATOR = '|';

    private static final String SIXTY_FOUR = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final String DIGITS = "0123456789abcdef";
    private static final byte[] VALUES = values();

    // The places of a traceparent: 00-<32 digits>-<16 digits>-<2 digits>.
    private static final int TRACE = 3;
    private static final int SPAN = 36;
    private static final int FLAGS = 53;
    private static final int TRACE_DIGITS = 32;
    private static final int ID_DIGITS = 48;
    private static final int ID_CHARACTERS = 32;
    private static final int COMPACT_LENGTH = ID_CHARACTERS + 2;

    private OptionsText() {}

    /**
     * Writes the options.
     *
     * @param options the options
     * @return the text; null if the task has neither
     */
    public static @Nullable String of(TaskOptions options) {
        WorkflowOptions workflow = options.workflow();
        if (workflow == null) {
            return plain(options);
        }
        Duration limit = workflow.timeLimit();
        String rest = plain(options);
        return WORKFLOW
                + (limit == null ? "" : Long.toString(limit.toMillis()))
                + SEPARATOR
                + (rest == null ? "" : rest);
    }

    private static @Nullable String plain(TaskOptions options) {
        TimeLimits limits = options.limits();
        String rest = policyAndTrace(options);
        if (limits == null && options.tags().isEmpty()) {
            return rest;
        }
        String tags = options.tags().isEmpty() ? "" : TAGS + String.join(",", options.tags());
        return MARKED + (limits == null ? "" : text(limits)) + tags + SEPARATOR + (rest == null ? "" : rest);
    }

    private static String text(TimeLimits limits) {
        return millis(limits.total()) + "," + millis(limits.startBy()) + ","
                + limits.since().toMillis() + "," + limits.attempt();
    }

    private static String millis(@Nullable Duration limit) {
        return limit == null ? "" : Long.toString(limit.toMillis());
    }

    private static @Nullable String policyAndTrace(TaskOptions options) {
        RetryPolicy retry = options.retry();
        TraceContext trace = options.trace();
        if (trace == null) {
            return retry == null ? null : retry.text();
        }
        String policy = retry == null ? "" : retry.text();
        String text = policy + SEPARATOR + compact(trace.parent());
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
        if (text != null && !text.isEmpty() && text.charAt(0) == WORKFLOW) {
            int end = text.indexOf(SEPARATOR);
            String rest = text.substring(end + 1);
            TaskOptions others = options(priority, rest.isEmpty() ? null : rest, timeout, mutex);
            WorkflowOptions workflow = end == 1
                    ? WorkflowOptions.UNLIMITED
                    : new WorkflowOptions(Duration.ofMillis(Long.parseLong(text, 1, end, 10)));
            return new TaskOptions(
                    others.priority(),
                    others.retry(),
                    others.timeout(),
                    others.mutex(),
                    others.trace(),
                    workflow,
                    others.limits(),
                    others.tags());
        }
        if (text != null && !text.isEmpty() && text.charAt(0) == MARKED) {
            int end = text.indexOf(SEPARATOR);
            String rest = text.substring(end + 1);
            int tags = text.lastIndexOf(TAGS, end);
            String limits = text.substring(1, tags < 0 ? end : tags);
            TaskOptions options = options(priority, rest.isEmpty() ? null : rest, timeout, mutex)
                    .withLimits(limits.isEmpty() ? null : limits(limits));
            return tags < 0
                    ? options
                    : options.withTags(List.of(text.substring(tags + 1, end).split(",", -1)));
        }
        int end = text == null ? -1 : text.indexOf(SEPARATOR);
        if (text == null || end < 0) {
            return new TaskOptions(priority, text == null ? null : RetryPolicy.parse(text), timeout, mutex, null);
        }
        int state = text.indexOf(SEPARATOR, end + 1);
        TraceContext trace = new TraceContext(
                parent(text, end + 1, state < 0 ? text.length() : state), state < 0 ? null : text.substring(state + 1));
        return new TaskOptions(
                priority, end == 0 ? null : RetryPolicy.parse(text.substring(0, end)), timeout, mutex, trace);
    }

    private static TimeLimits limits(String text) {
        String[] parts = text.split(",", -1);
        return new TimeLimits(
                duration(parts[0]),
                duration(parts[1]),
                Duration.ofMillis(Long.parseLong(parts[2])),
                Integer.parseInt(parts[3]));
    }

    private static @Nullable Duration duration(String millis) {
        return millis.isEmpty() ? null : Duration.ofMillis(Long.parseLong(millis));
    }

    private static byte[] values() {
        byte[] values = new byte[128];
        for (int i = 0; i < SIXTY_FOUR.length(); i++) {
            values[SIXTY_FOUR.charAt(i)] = (byte) i;
        }
        return values;
    }

    private static String compact(String parent) {
        byte[] compact = new byte[COMPACT_LENGTH];
        for (int digit = 0, at = 0; digit < ID_DIGITS; digit += 3, at += 2) {
            int value = digit(parent, digit) << 8 | digit(parent, digit + 1) << 4 | digit(parent, digit + 2);
            compact[at] = (byte) SIXTY_FOUR.charAt(value >> 6);
            compact[at + 1] = (byte) SIXTY_FOUR.charAt(value & 0x3F);
        }
        compact[ID_CHARACTERS] = (byte) parent.charAt(FLAGS);
        compact[ID_CHARACTERS + 1] = (byte) parent.charAt(FLAGS + 1);
        return new String(compact, StandardCharsets.ISO_8859_1);
    }

    /** Returns one of the 48 digits of both ids. */
    private static int digit(String parent, int number) {
        return Character.digit(parent.charAt(place(number)), 16);
    }

    private static int place(int number) {
        return number < TRACE_DIGITS ? TRACE + number : SPAN + number - TRACE_DIGITS;
    }

    private static String parent(String text, int from, int to) {
        if (to - from != COMPACT_LENGTH) {
            return text.substring(from, to); // as a traceparent, which earlier versions wrote
        }
        byte[] parent = new byte[TraceContext.PARENT_LENGTH];
        parent[0] = '0';
        parent[1] = '0';
        parent[TRACE - 1] = '-';
        parent[SPAN - 1] = '-';
        parent[FLAGS - 1] = '-';
        for (int digit = 0, at = from; digit < ID_DIGITS; digit += 3, at += 2) {
            int value = VALUES[text.charAt(at) & 0x7F] << 6 | VALUES[text.charAt(at + 1) & 0x7F];
            parent[place(digit)] = (byte) DIGITS.charAt(value >> 8);
            parent[place(digit + 1)] = (byte) DIGITS.charAt(value >> 4 & 0xF);
            parent[place(digit + 2)] = (byte) DIGITS.charAt(value & 0xF);
        }
        parent[FLAGS] = (byte) text.charAt(to - 2);
        parent[FLAGS + 1] = (byte) text.charAt(to - 1);
        return new String(parent, StandardCharsets.ISO_8859_1);
    }
}
