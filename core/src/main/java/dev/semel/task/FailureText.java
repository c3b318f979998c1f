package dev.semel.task;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The text of a failure, as it is kept with an attempt. It never throws and ends after a bounded number of steps, whatever is
 * described: an exception is code of its author's, whose message, cause or stack trace may throw, be null or lead in a circle.
 */
public final class FailureText {

    /** The most exceptions of one text: the failure, its causes, and what was suppressed. */
    static final int MOST_EXCEPTIONS = 50;

    /** The most stack frames of one exception, so that the text has room for its causes. */
    static final int MOST_FRAMES = 30;

    private static final String CUT = "\n… (the rest is cut)";
    private static final StackTraceElement[] NO_FRAMES = {};

    private final StringBuilder text = new StringBuilder();
    private final Set<Throwable> described = Collections.newSetFromMap(new IdentityHashMap<>());

    private FailureText() {}

    /**
     * Describes a failure with its stack and its causes; by its message alone where it has a message and no stack.
     *
     * @param thrown the failure
     * @return at most {@link Limits#ERROR_LENGTH} characters that every store can keep
     */
    public static String of(Throwable thrown) {
        return safely(thrown, () -> {
            String message = asked(thrown::getMessage);
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
     * @return at most {@link Limits#ERROR_LENGTH} characters that every store can keep
     */
    public static String summary(Throwable thrown) {
        return safely(thrown, () -> Limits.error(head(thrown)));
    }

    private static String safely(Throwable thrown, Supplier<String> description) {
        try {
            return description.get();
        } catch (Throwable e) {
            // Out of memory, for example. The name of the class is there already.
            return thrown.getClass().getName();
        }
    }

    /** What an exception says of itself; null if it throws instead. */
    private static <T> @Nullable T asked(Supplier<@Nullable T> question) {
        try {
            return question.get();
        } catch (Throwable e) {
            return null;
        }
    }

    private static StackTraceElement[] frames(Throwable thrown) {
        StackTraceElement[] frames = asked(thrown::getStackTrace);
        return frames == null ? NO_FRAMES : frames;
    }

    private static String head(Throwable thrown) {
        String message = asked(thrown::getLocalizedMessage);
        if (message != null && message.length() > Limits.ERROR_LENGTH) {
            // Not by toString, which would copy the whole message.
            return thrown.getClass().getName() + ": " + message.substring(0, Limits.ERROR_LENGTH);
        }
        String all = asked(thrown::toString);
        return all != null ? all : thrown.getClass().getName() + " (it throws when it is asked for its message)";
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
            next = asked(asked::getCause);
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
