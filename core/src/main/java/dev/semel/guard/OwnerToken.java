package dev.semel.guard;

import dev.semel.task.InvalidInput;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * Who holds an entry: 128 random bits, new for every call. Not a number that counts up, because that would begin again at 1
 * after the store has lost the entry, and the first owner would pass for the second.
 *
 * @param high the first half
 * @param low the second half
 */
public record OwnerToken(long high, long low) {

    private static final int LENGTH = 32;

    /**
     * Draws a token.
     *
     * @param random a generator that is safe for many threads; {@link java.security.SecureRandom} outside of tests
     * @return the token
     */
    public static OwnerToken next(RandomGenerator random) {
        // All at once: a generator that cannot be guessed takes a lock for each asking.
        byte[] bytes = new byte[2 * Long.BYTES];
        random.nextBytes(bytes);
        ByteBuffer both = ByteBuffer.wrap(bytes);
        return new OwnerToken(both.getLong(), both.getLong());
    }

    /**
     * Reads a token as a store has kept it.
     *
     * @param hex what {@link #hex()} gave
     * @return the token
     * @throws InvalidInput if it has another form
     */
    public static OwnerToken parse(String hex) {
        try {
            if (hex.length() == LENGTH) {
                return new OwnerToken(
                        HexFormat.fromHexDigitsToLong(hex, 0, LENGTH / 2),
                        HexFormat.fromHexDigitsToLong(hex, LENGTH / 2, LENGTH));
            }
        } catch (IllegalArgumentException e) {
            // Not hexadecimal: answered below like every other wrong form.
        }
        throw new InvalidInput("An owner token has " + LENGTH + " hexadecimal digits. Pass on what hex() gave.");
    }

    /**
     * The token as stores keep it.
     *
     * @return 32 hexadecimal characters
     */
    public String hex() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }

    /** Does not show the token: who has it could settle somebody else's entry. */
    @Override
    public String toString() {
        return "OwnerToken";
    }
}
