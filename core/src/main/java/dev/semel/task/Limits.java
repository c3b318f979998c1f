package dev.semel.task;

import java.time.Duration;

/** The limits on everything a caller hands in, and the checks that hold them. */
public final class Limits {

    /** The most characters a key may have. */
    public static final int KEY_LENGTH = 255;

    /** The most characters a tenant, queue, task type, custom scope, worker or effect name may have. */
    public static final int NAME_LENGTH = 100;

    /** The most bytes of UTF-8 an input or a result may have: 1 MiB. */
    public static final int DOCUMENT_BYTES = 1 << 20;

    /** The most characters of an error that are kept with an attempt; the rest is cut off, and marked so. */
    public static final int ERROR_LENGTH = 8_000;

    /** The highest priority; the lowest, and the default, is 0. */
    public static final int PRIORITY = 9;

    /** How much earlier a task is taken for each step of priority. Bounded, so a low priority waits but never starves. */
    public static final Duration PRIORITY_STEP = Duration.ofSeconds(60);

    /** The longest delay, lease, window or timeout: 100 years, so that no sum of times overflows. */
    public static final Duration LONGEST = Duration.ofDays(36_525);

    private static final int SHOWN = 80;

    private Limits() {}

    /**
     * Checks a name: 1 to 100 characters out of letters, digits and {@code _ - . : /}, beginning with a letter or digit.
     *
     * @param what what it names, for the message, for example {@code "queue"}
     * @param name the name
     * @return the name
     * @throws InvalidInput if it is not allowed
     */
    public static String name(String what, String name) {
        if (name.isEmpty() || name.length() > NAME_LENGTH || !isSafe(name)) {
            throw new InvalidInput(
                    "A " + what + " name has 1 to " + NAME_LENGTH + " letters (a-z, A-Z), digits or any of"
                            + " _ - . : / and begins with a letter or digit, but got \"" + shown(name) + "\" ("
                            + name.length() + " characters). Choose another name.");
        }
        return name;
    }

    /**
     * Checks a key: 1 to 255 characters, none of them a control character or half of a surrogate pair.
     *
     * @param key the key; an empty one is not a key and must be sorted out before
     * @return the key
     * @throws InvalidInput if it is not allowed
     */
    public static String key(String key) {
        return unicode("An idempotency key", key);
    }

    /**
     * Checks a mutex: what holds for a key holds for it.
     *
     * @param mutex the mutex; an empty one is none and must be sorted out before
     * @return the mutex
     * @throws InvalidInput if it is not allowed
     */
    public static String mutex(String mutex) {
        return unicode("A mutex", mutex);
    }

    /**
     * Checks a priority: 0 to 9.
     *
     * @param priority the priority
     * @return the priority
     * @throws InvalidInput if it is not allowed
     */
    public static int priority(int priority) {
        if (priority < 0 || priority > PRIORITY) {
            throw new InvalidInput(
                    "A priority is 0 (default) to " + PRIORITY + " (first), but got \"" + priority + "\".");
        }
        return priority;
    }

    /**
     * Checks a duration: not negative and at most 100 years.
     *
     * @param what what it is, for the message, for example {@code "delay"}
     * @param duration the duration
     * @return the duration
     * @throws InvalidInput if it is not allowed
     */
    public static Duration duration(String what, Duration duration) {
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new InvalidInput("A " + what + " is between 0 and 100 years, but got \"" + duration + "\".");
        }
        return duration;
    }

    /**
     * Checks a duration that must not be zero; a millisecond is the least that stores keep.
     *
     * @param what what it is, for the message, for example {@code "lease"}
     * @param duration the duration
     * @return the duration
     * @throws InvalidInput if it is not allowed
     */
    public static Duration positive(String what, Duration duration) {
        if (!duration.isNegative() && duration.toMillis() == 0) {
            throw new InvalidInput("A " + what + " is at least a millisecond, but got \"" + duration + "\".");
        }
        return duration(what, duration);
    }

    /**
     * Makes a value fit for a message: control characters replaced and cut at 80 characters.
     *
     * @param value the value as it came
     * @return what to show between quotes
     */
    public static String shown(String value) {
        String cut = value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "…";
        StringBuilder safe = new StringBuilder(cut.length());
        for (int i = 0; i < cut.length(); i++) {
            char c = cut.charAt(i);
            safe.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '\uFFFD' : c);
        }
        return safe.toString();
    }

    /**
     * Makes an error fit to be kept with an attempt: cut to {@link #ERROR_LENGTH}, and without what not every database takes as text,
     * so that every store keeps the same.
     *
     * @param error the whole error
     * @return the error, or its beginning with a mark that says so; NUL and halves of surrogate pairs become U+FFFD
     */
    public static String error(String error) {
        boolean tooLong = error.length() > ERROR_LENGTH;
        String kept = Surrogates.mended(tooLong ? error.substring(0, ERROR_LENGTH) : error)
                .replace('\0', '\uFFFD');
        return tooLong ? kept + "… (" + (error.length() - ERROR_LENGTH) + " characters cut)" : kept;
    }

    private static String unicode(String what, String text) {
        if (text.isEmpty() || text.length() > KEY_LENGTH) {
            throw new InvalidInput(what + " has 1 to " + KEY_LENGTH + " characters, but got " + text.length() + ": \""
                    + shown(text) + "\". Shorten it, or hash its longest part.");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c)) {
                throw new InvalidInput(what + " has no control characters, but \"" + shown(text) + "\" has U+"
                        + String.format("%04X", (int) c) + " at position " + i + ". Remove it.");
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new InvalidInput(what + " is valid Unicode, but \"" + shown(text)
                        + "\" has half of a surrogate pair at position " + i + ". Remove it.");
            }
        }
        return text;
    }

    private static boolean isSafe(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!alphanumeric && (i == 0 || "_-.:/".indexOf(c) < 0)) {
                return false;
            }
        }
        return true;
    }
}
