package dev.semel.s3.objects;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.regex.Pattern;

/**
 * The rules for names of objects. Only characters that need no escaping anywhere are allowed, so that a name is the same
 * in a URL, in a signature, in a list and in a person's shell, and no name can leave its prefix.
 */
public final class ObjectName {

    /** The maximum length of a name below its prefix. S3 allows 1,024 bytes with the prefix. */
    public static final int MAX_LENGTH = 512;

    private static final Pattern SEGMENTS = Pattern.compile("[A-Za-z0-9._=-]+(/[A-Za-z0-9._=-]+)*");
    private static final Pattern DOTS = Pattern.compile("(^|/)\\.{1,2}(/|$)");

    private ObjectName() {}

    /**
     * Checks a name.
     *
     * @param name the name, relative to the prefix of its store
     * @return the name
     * @throws InvalidInput if it is too long, has other characters, or an empty, {@code .} or {@code ..} segment
     */
    public static String check(String name) {
        if (Limits.notNull("object name", name).length() > MAX_LENGTH
                || !SEGMENTS.matcher(name).matches()
                || DOTS.matcher(name).find()) {
            throw new InvalidInput(
                    "An object name has segments of letters, digits and \"._=-\" joined by \"/\", at most "
                            + MAX_LENGTH + " characters, and no segment \".\" or \"..\", but got \""
                            + Limits.shown(name)
                            + "\".");
        }
        return name;
    }

    /**
     * Checks the prefix of a list: empty, a name, or the beginning of one that ends with a slash.
     *
     * @param prefix the prefix, relative to that of its store
     * @return the prefix
     * @throws InvalidInput if it has another form
     */
    public static String checkPrefix(String prefix) {
        if (!Limits.notNull("prefix", prefix).isEmpty()) {
            check(prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix);
        }
        return prefix;
    }
}
