package dev.semel.task;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The text of a failure, as it is stored with an attempt. Its methods never throw and end after a bounded number of
 * steps for every exception: an exception class is foreign code, whose message, cause or stack trace may throw, be null
 * or form a cycle.
 */
public final class FailureText {

    /** The maximum number of exceptions in one text: the failure, its causes and its suppressed exceptions. */
    static final int MOST_EXCEPTIONS = 50;

    /** The maximum number of stack frames of one exception, so that the text has room for its causes. */
    static final int MOST_FRAMES = 30;

    private static final String CUT = "\n… (the rest is cut)";
    private static final StackTraceElement[] NO_FRAMES = {};

    private final StringBuilder text = new StringBuilder();
    private final Set<Throwable> described = Collections.newSetFromMap(new IdentityHashMap<>());

    private FailureText() {}

    /**
     * Describes a failure by its stack and its causes, or by its message alone if it has a message and no stack.
     *
     * @param thrown the failure
     * @return at most {@link Limits#ERROR_LENGTH} characters that every store accepts
     */
    public static String of(Throwable thrown) {
        return safely(thrown, () -> {
            String message = orNull(thrown::getMessage);
            if (message != null && frames(thrown).length == 0) {
                return Limits.error(message);
            }
            FailureText description = new FailureText();
            description.add("", thrown, NO_FRAMES);
            return description.cut();
        });
    }

    /**
     * Describes a failure by its class and message.
     *
     * @param thrown the failure
     * @return at most {@link Limits#ERROR_LENGTH} characters that every store accepts
     */
    public static String summary(Throwable thrown) {
        return safely(thrown, () -> Limits.error(head(thrown)));
    }

    /**
     * Returns whether a logger can print a failure as it is: nothing in it throws, is missing, endless or huge.
     *
     * @param thrown the failure
     * @return false if only its text should be logged
     */
    public static boolean isPrintable(Throwable thrown) {
        try {
            Throwable next = thrown;
            for (int count = 0; count < MOST_EXCEPTIONS; count++) {
                if (next == null) {
                    return true;
                }
                String message = next.getMessage();
                if ((message != null && message.length() > Limits.ERROR_LENGTH)
                        || next.toString() == null
                        || next.getStackTrace() == null) {
                    return false;
                }
                next = next.getCause();
            }
            return false;
        } catch (Throwable e) {
            return false;
        }
    }

    private static String safely(Throwable thrown, Supplier<String> description) {
        try {
            return description.get();
        } catch (Throwable e) {
            // Out of memory, for example. The name of the class exists already.
            return thrown.getClass().getName();
        }
    }

    /** Returns the result of a getter of an exception, or null if the getter throws. */
    private static <T> @Nullable T orNull(Supplier<@Nullable T> question) {
        try {
            return question.get();
        } catch (Throwable e) {
            return null;
        }
    }

    private static StackTraceElement[] frames(Throwable thrown) {
        StackTraceElement[] frames = orNull(thrown::getStackTrace);
        return frames == null ? NO_FRAMES : frames;
    }

    private static String head(Throwable thrown) {
        String message = orNull(thrown::getLocalizedMessage);
        if (message != null && message.length() > Limits.ERROR_LENGTH) {
            // Not with toString, which would copy the whole message.
            return thrown.getClass().getName() + ": " + message.substring(0, Limits.ERROR_LENGTH);
        }
        String all = orNull(thrown::toString);
        return all != null
                ? all
                : thrown.getClass().getName() + " (its toString() throws an exception or returns null)";
    }

    /** Adds an exception, then its causes, in the form of {@link Throwable#printStackTrace()}. */
    private void add(String caption, Throwable first, StackTraceElement[] enclosing) {
        String title = caption;
        StackTraceElement[] around = enclosing;
        Throwable next = first;
        while (next != null && !isFull()) {
            if (described.size() >= MOST_EXCEPTIONS || !described.add(next)) {
                text.append(title)
                        .append("… (")
                        .append(next.getClass().getName())
                        .append(" again, or too many causes)");
                return;
            }
            text.append(title).append(head(next));
            StackTraceElement[] frames = frames(next);
            addFrames(frames, around);
            for (Throwable suppressed : next.getSuppressed()) {
                if (isFull() || described.size() >= MOST_EXCEPTIONS) {
                    break;
                }
                add("\n\tSuppressed: ", suppressed, frames);
            }
            Throwable asked = next;
            next = orNull(asked::getCause);
            title = "\nCaused by: ";
            around = frames;
        }
    }

    private void addFrames(StackTraceElement[] frames, StackTraceElement[] around) {
        int inCommon = 0;
        while (inCommon < Math.min(frames.length, around.length)
                && Objects.equals(frames[frames.length - 1 - inCommon], around[around.length - 1 - inCommon])) {
            inCommon++;
        }
        int own = frames.length - inCommon;
        for (int i = 0; i < Math.min(own, MOST_FRAMES) && !isFull(); i++) {
            text.append("\n\tat ").append(frames[i]);
        }
        int left = own - Math.min(own, MOST_FRAMES) + inCommon;
        if (left > 0) {
            text.append("\n\t... ").append(left).append(" more");
        }
    }

    private boolean isFull() {
        return text.length() > Limits.ERROR_LENGTH;
    }

    private String cut() {
        if (isFull()) {
            text.setLength(Limits.ERROR_LENGTH - CUT.length());
            text.append(CUT);
        }
        return Limits.error(text.toString().strip());
    }
}
