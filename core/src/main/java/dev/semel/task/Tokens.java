package dev.semel.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Makes the idempotency tokens that handlers pass on to the outside world. */
public final class Tokens {

    private Tokens() {}

    /**
     * The token of one named effect of a lineage: the same over retries, redrives and reruns after a failure.
     *
     * @param lineage the id of the lineage's first task
     * @param name what the token is for
     * @return 32 hexadecimal characters: 128 bits, and short enough for every provider's header
     */
    public static String token(TaskId lineage, String name) {
        return token(lineage, name, 0);
    }

    /**
     * The token of one of several effects of the same name.
     *
     * @param lineage the id of the lineage's first task
     * @param name what the token is for
     * @param index which one; 0 gives the same token as without an index
     * @return 32 hexadecimal characters
     */
    public static String token(TaskId lineage, String name, int index) {
        Limits.name("token", name);
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer whole = ByteBuffer.allocate(
                        1 + 2 * Long.BYTES + nameBytes.length + (index == 0 ? 0 : 1 + Integer.BYTES))
                .put((byte) 1)
                .putLong(lineage.value().getMostSignificantBits())
                .putLong(lineage.value().getLeastSignificantBits())
                .put(nameBytes);
        if (index != 0) {
            whole.put((byte) 0).putInt(index); // no name has a zero byte, so no name with an index is like another name
        }
        return HexFormat.of().formatHex(Sha256.of(whole.array()), 0, 16);
    }
}
