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
        Limits.name("token", name);
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] whole = ByteBuffer.allocate(1 + 2 * Long.BYTES + nameBytes.length)
                .put((byte) 1)
                .putLong(lineage.value().getMostSignificantBits())
                .putLong(lineage.value().getLeastSignificantBits())
                .put(nameBytes)
                .array();
        return HexFormat.of().formatHex(Sha256.of(whole), 0, 16);
    }
}
