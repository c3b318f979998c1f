package dev.semel.s3.objects;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * The mark of one write: 128 random bits that its author keeps. After a lost answer the author reads the object and
 * recognises its own write by the mark. Equal content would not do, because two authors may write the same bytes.
 *
 * @param hex 32 lower-case hexadecimal digits
 */
public record Mark(String hex) {

    private static final int BYTES = 16;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{32}");

    /** Checks the form of the mark. */
    public Mark {
        if (!FORM.matcher(Limits.notNull("mark", hex)).matches()) {
            throw new InvalidInput("A mark has 32 lower-case hexadecimal digits, but got \"" + Limits.shown(hex)
                    + "\". Use Mark.next.");
        }
    }

    /**
     * Generates a mark.
     *
     * @param random a thread-safe generator; {@link java.security.SecureRandom} outside of tests
     * @return the mark
     */
    public static Mark next(RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        Limits.notNull("source of randomness", random).nextBytes(bytes);
        return new Mark(HexFormat.of().formatHex(bytes));
    }

    /**
     * Returns whether a text has the form of a mark.
     *
     * @param text a text from outside, for example a header
     * @return whether it can be passed to the constructor
     */
    public static boolean isMark(String text) {
        return FORM.matcher(Limits.notNull("text", text)).matches();
    }
}
