package dev.semel.guard;

import dev.semel.task.InvalidInput;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * The token of an entry's holder: 128 random bits, new for every call. It is not a counter, because a counter would
 * restart at 1 after the store has lost the entry, and the first owner could not be distinguished from the second.
 *
 * @param high the first half
 * @param low the second half
 */
public record OwnerToken(long high, long low) {

    private static final int LENGTH = 32;

    /**
     * Generates a token.
     *
     * @param random a thread-safe generator; {@link java.security.SecureRandom} outside of tests
     * @return the token
     */
    public static OwnerToken next(RandomGenerator random) {
        // All bytes in one call: a secure generator takes a lock for each call.
        byte[] bytes = new byte[2 * Long.BYTES];
        random.nextBytes(bytes);
        ByteBuffer both = ByteBuffer.wrap(bytes);
        return new OwnerToken(both.getLong(), both.getLong());
    }

    /**
     * Parses a token as a store keeps it.
     *
     * @param hex the text that {@link #hex()} returned
     * @return the token
     * @throws InvalidInput if the text has another form
     */
    public static OwnerToken parse(String hex) {
        try {
            if (hex.length() == LENGTH) {
                return new OwnerToken(
                        HexFormat.fromHexDigitsToLong(hex, 0, LENGTH / 2),
                        HexFormat.fromHexDigitsToLong(hex, LENGTH / 2, LENGTH));
            }
        } catch (IllegalArgumentException e) {
            // Not hexadecimal: reported below like every other wrong form.
        }
        throw new InvalidInput("An owner token has " + LENGTH
                + " hexadecimal digits, but got another text. Pass the text that hex() returned.");
    }

    /**
     * Returns the token in the form in which stores keep it.
     *
     * @return 32 hexadecimal characters
     */
    public String hex() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }

    /** Returns a text without the token, which would allow its reader to settle the entry of another owner. */
    @Override
    public String toString() {
        return "OwnerToken";
    }
}
