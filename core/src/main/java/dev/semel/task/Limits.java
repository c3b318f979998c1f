package dev.semel.task;

import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The limits on all values that callers pass, and the checks that enforce them. */
public final class Limits {

    /** The maximum length of a key in characters. */
    public static final int KEY_LENGTH = 255;

    /** The maximum length of a tenant, queue, task type, custom scope, worker or effect name in characters. */
    public static final int NAME_LENGTH = 100;

    /** The maximum number of tags of a task. */
    public static final int TAGS = 10;

    /** The maximum size of an input or a result in bytes of UTF-8: 1 MiB. */
    public static final int DOCUMENT_BYTES = 1 << 20;

    /**
     * The maximum length of the error text that is stored with an attempt. The rest is cut off, and a mark is added.
     */
    public static final int ERROR_LENGTH = 8_000;

    /** The most lines and inbox entries of a workflow, together. */
    public static final int HISTORY_LINES = 50_000;

    /** The maximum size of a workflow's history and inbox in characters: 64 Mi. */
    public static final long HISTORY_BYTES = 64L << 20;

    /** The highest priority; the lowest, and the default, is 0. */
    public static final int PRIORITY = 9;

    /**
     * How much earlier a task is claimed for each step of priority. Bounded, so that a task of low priority waits but
     * never starves.
     */
    public static final Duration PRIORITY_STEP = Duration.ofSeconds(60);

    /** The longest delay, lease, window or timeout: 100 years, so that no sum of times overflows. */
    public static final Duration LONGEST = Duration.ofDays(36_525);

    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private static final int SHOWN = 80;

    // What follows the beginning of an error that was cut.
    private static final Pattern CUT = Pattern.compile("\\G… \\(\\d{1,10} characters cut\\)\\z");

    private Limits() {}

    /**
     * Checks that a value was passed. A null is reported where it is passed, and not where it is used later.
     *
     * @param what the kind of the value, for the message, for example {@code "codec"}
     * @param value the value
     * @param <T> its class
     * @return the value
     * @throws InvalidInput if it is null
     */
    public static <T> T notNull(String what, @Nullable T value) {
        if (value == null) {
            throw new InvalidInput(article(what) + " is required, but got null. Pass a value.");
        }
        return value;
    }

    /**
     * Checks a name: 1 to 100 letters, digits or any of {@code _ - . : /}, beginning with a letter or digit.
     *
     * @param what the kind of the name, for the message, for example {@code "queue"}
     * @param name the name
     * @return the name
     * @throws InvalidInput if it is not allowed
     */
    public static String name(String what, String name) {
        if (name == null) {
            throw new InvalidInput(article(what) + " name is required, but got null. Pass a name.");
        }
        if (name.isEmpty() || name.length() > NAME_LENGTH || !isSafe(name)) {
            throw new InvalidInput(
                    article(what) + " name has 1 to " + NAME_LENGTH + " letters (a-z, A-Z), digits or any of"
                            + " _ - . : / and begins with a letter or digit, but got \"" + shown(name) + "\" ("
                            + name.length() + " characters). Choose another name.");
        }
        return name;
    }

    /**
     * Checks the tags of a task: at most 10 names.
     *
     * @param tags the tags
     * @return the tags, sorted, each once
     * @throws InvalidInput if there are too many, or one of them is not allowed
     */
    public static List<String> tags(Collection<String> tags) {
        notNull("collection of tags", tags);
        List<String> sorted =
                tags.stream().map(tag -> name("tag", tag)).distinct().sorted().toList();
        if (sorted.size() > TAGS) {
            throw new InvalidInput(
                    "A task has at most " + TAGS + " tags, but got " + sorted.size() + ". Leave some of them out.");
        }
        return sorted;
    }

    /**
     * Checks a key: 1 to 255 characters, none of them a control character or half of a surrogate pair, and not only
     * white space. An empty or blank key is nearly always a bug of the caller, and as "no key" it would leave the work
     * unprotected.
     *
     * @param key the key
     * @return the key
     * @throws InvalidInput if it is not allowed
     */
    public static String key(String key) {
        return notBlank("An idempotency key", unicode("An idempotency key", key));
    }

    /**
     * Checks a key that is stored, or that is put together from parts. It may be blank, unlike a key that a caller
     * gives.
     *
     * @param key the key
     * @return the key
     * @throws InvalidInput if it is not allowed
     */
    public static String storedKey(String key) {
        return unicode("An idempotency key", key);
    }

    /**
     * Checks a mutex: the rules are those of a key.
     *
     * @param mutex the mutex; an empty one means "no mutex" and must be handled before
     * @return the mutex
     * @throws InvalidInput if it is not allowed
     */
    public static String mutex(String mutex) {
        return notBlank("A mutex", unicode("A mutex", mutex));
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
     * @param what the kind of the duration, for the message, for example {@code "delay"}
     * @param duration the duration
     * @return the duration
     * @throws InvalidInput if it is not allowed
     */
    public static Duration duration(String what, Duration duration) {
        if (notNull(what, duration).isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new InvalidInput(
                    article(what) + " is between 0 and 100 years, but got \"" + Durations.shown(duration) + "\".");
        }
        return duration;
    }

    /**
     * Checks a duration that must not be zero. Stores keep durations in milliseconds, so the minimum is one
     * millisecond.
     *
     * @param what the kind of the duration, for the message, for example {@code "lease"}
     * @param duration the duration
     * @return the duration
     * @throws InvalidInput if it is not allowed
     */
    public static Duration positive(String what, Duration duration) {
        if (!notNull(what, duration).isNegative() && duration.compareTo(MILLISECOND) < 0) {
            throw new InvalidInput(
                    article(what) + " is at least a millisecond, but got \"" + Durations.shown(duration) + "\".");
        }
        return duration(what, duration);
    }

    /**
     * Bounds a time to wait, which may have any length: a negative one is zero, and one of more than 100 years is 100
     * years, whose nanoseconds still fit a {@code long}.
     *
     * @param wait the time to wait
     * @return the time, 0 to 100 years
     */
    public static Duration boundedWait(Duration wait) {
        if (notNull("time to wait", wait).isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    /**
     * Prepares a value for a message: escapes control characters and invisible ones that change how others are shown, and
     * cuts the text at 80 characters.
     *
     * @param value the value as it was received
     * @return the text to show between quotes
     */
    public static String shown(String value) {
        StringBuilder safe = new StringBuilder(Math.min(value.length(), SHOWN));
        for (int i = 0; i < value.length(); i += Character.charCount(value.codePointAt(i))) {
            String shown = shown(value.codePointAt(i));
            if (safe.length() + shown.length() > SHOWN) {
                return safe.append('…').toString();
            }
            safe.append(shown);
        }
        return safe.toString();
    }

    /** Returns a character as it is, or escaped as JSON and the command line do, both halves of a pair. */
    private static String shown(int character) {
        String itself = Character.toString(character);
        if (!isMisleading(character)) {
            return itself;
        }
        StringBuilder escaped = new StringBuilder();
        itself.chars()
                .forEach(half -> escaped.append("\\u")
                        .append(HexFormat.of().withUpperCase().toHexDigits((char) half)));
        return escaped.toString();
    }

    /** Returns whether a character does not show itself, or changes how others are shown or where lines end. */
    private static boolean isMisleading(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    /**
     * Prepares an error text for storage with an attempt: cuts it to {@link #ERROR_LENGTH} and replaces characters that
     * not every database accepts, so that every store keeps the same text. A text that was prepared before stays as it is, so
     * that a settlement can be sent to a server and be the same settlement there.
     *
     * @param error the whole error
     * @return the error, or its beginning with a mark that the rest is cut; NUL and unpaired surrogates become U+FFFD
     */
    public static String error(String error) {
        boolean tooLong = error.length() > ERROR_LENGTH && !CUT.matcher(error).find(ERROR_LENGTH);
        String kept = Surrogates.replaceUnpaired(tooLong ? error.substring(0, ERROR_LENGTH) : error)
                .replace('\0', '\uFFFD');
        return tooLong ? kept + "… (" + (error.length() - ERROR_LENGTH) + " characters cut)" : kept;
    }

    private static String notBlank(String what, String text) {
        if (text.codePoints().allMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c))) {
            throw new InvalidInput(what + " is more than white space, but got \"" + shown(text)
                    + "\". Give a value that names the work, or none at all.");
        }
        return text;
    }

    private static String unicode(String what, String text) {
        if (text == null) {
            throw new InvalidInput(what + " is required here, but got null. Pass a value.");
        }
        if (text.isEmpty()) {
            throw new InvalidInput(what + " has 1 to " + KEY_LENGTH
                    + " characters, but got an empty one. Give a value that names the work, or none at all.");
        }
        if (text.length() > KEY_LENGTH) {
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

    /** Begins a sentence: "A lease", "An idempotency ttl". */
    private static String article(String what) {
        return ("aeiou".indexOf(what.charAt(0)) >= 0 ? "An " : "A ") + what;
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
