package dev.semel.task;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A W3C trace context: which span of which trace caused something. It is stored with a task, so that the spans of its
 * attempts belong to the trace of its submission, whichever process runs them. It is no part of the input: neither the input
 * hash nor the key depends on it.
 *
 * @param parent the value of {@code traceparent}: version 00, 55 characters
 * @param state the value of {@code tracestate}, or null
 */
public record TraceContext(String parent, @Nullable String state) {

    /** The length of {@code traceparent}. */
    public static final int PARENT_LENGTH = 55;

    /** The most characters of {@code tracestate}. A longer one is dropped, as the recommendation of the W3C allows. */
    public static final int STATE_LENGTH = 512;

    private static final String NOTE = "\ntrace: ";
    private static final String NO_TRACE = "0".repeat(32);
    private static final String NO_SPAN = "0".repeat(16);
    private static final byte[] NO_DIGIT = noDigit();

    /** Validates both values. */
    public TraceContext {
        if (!isParent(parent)) {
            throw new InvalidInput(
                    "A traceparent has the form \"00-<32 hex digits>-<16 hex digits>-<2 hex digits>\", but got" + " \""
                            + Limits.shown(parent) + "\".");
        }
        if (state != null && !isState(state)) {
            throw new InvalidInput("A tracestate has 1 to " + STATE_LENGTH + " printable ASCII characters, but got \""
                    + Limits.shown(state) + "\".");
        }
    }

    /**
     * Reads both values as they were received. A {@code tracestate} that is empty, too long or invalid is dropped.
     *
     * @param parent the value of {@code traceparent}, or null
     * @param state the value of {@code tracestate}, or null
     * @return the context; empty if {@code traceparent} is missing or invalid
     */
    public static Optional<TraceContext> read(@Nullable String parent, @Nullable String state) {
        return parent == null || !isParent(parent)
                ? Optional.empty()
                : Optional.of(new TraceContext(parent, state == null || !isState(state) ? null : state));
    }

    /**
     * Returns the id of the trace.
     *
     * @return 32 hexadecimal digits
     */
    public String traceId() {
        return parent.substring(3, 35);
    }

    /**
     * Returns the id of the span.
     *
     * @return 16 hexadecimal digits
     */
    public String spanId() {
        return parent.substring(36, 52);
    }

    /**
     * Returns whether the span is recorded.
     *
     * @return the flag "sampled"
     */
    public boolean isSampled() {
        return (Character.digit(parent.charAt(54), 16) & 1) == 1;
    }

    /**
     * Adds this context to the error of an attempt, as its last line: people find the trace of a failure by it, and the next
     * attempt finds the span to link to.
     *
     * @param error the error
     * @return the error, shortened if necessary, and the line {@code trace: <traceparent>}
     */
    public String addedTo(String error) {
        int room = Limits.ERROR_LENGTH - NOTE.length() - PARENT_LENGTH;
        return (error.length() <= room ? error : error.substring(0, room)) + NOTE + parent;
    }

    /**
     * Reads the context that {@link #addedTo} added to an error.
     *
     * @param error the error, or null
     * @return the context; empty if there is none
     */
    public static Optional<TraceContext> of(@Nullable String error) {
        int at = error == null ? -1 : error.length() - NOTE.length() - PARENT_LENGTH;
        return error == null || at < 0 || !error.startsWith(NOTE, at)
                ? Optional.empty()
                : read(error.substring(at + NOTE.length()), null);
    }

    // A table instead of comparisons: every claim of a traced task checks the 50 digits, on SQLite in the one thread
    // that writes.
    private static boolean isParent(String parent) {
        if (parent.length() != PARENT_LENGTH
                || !parent.startsWith("00-")
                || parent.charAt(35) != '-'
                || parent.charAt(52) != '-') {
            return false;
        }
        return areDigits(parent, 3, 35)
                && areDigits(parent, 36, 52)
                && areDigits(parent, 53, PARENT_LENGTH)
                && !parent.startsWith(NO_TRACE, 3)
                && !parent.startsWith(NO_SPAN, 36);
    }

    private static boolean areDigits(String text, int from, int to) {
        int wrong = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            wrong |= NO_DIGIT[c & 0x7F] | (c >> 7);
        }
        return wrong == 0;
    }

    private static byte[] noDigit() {
        byte[] table = new byte[128];
        Arrays.fill(table, (byte) 1);
        for (char c : "0123456789abcdef".toCharArray()) {
            table[c] = 0;
        }
        return table;
    }

    private static boolean isState(String state) {
        if (state.isBlank() || state.length() > STATE_LENGTH) {
            return false;
        }
        for (int i = 0; i < state.length(); i++) {
            if (state.charAt(i) < ' ' || state.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }
}
