package dev.semel.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The derivation of the idempotency tokens that handlers pass on to other systems. */
public final class Tokens {

    private Tokens() {}

    /**
     * Returns the token of one named effect of a lineage: the same over retries, redrives and reruns after a failure.
     *
     * @param lineage the id of the lineage's first task
     * @param name the name of the effect
     * @return 32 hexadecimal characters: 128 bits, and short enough for every provider's header
     */
    public static String token(TaskId lineage, String name) {
        return token(lineage, name, 0);
    }

    /**
     * Returns the token of one of several effects of the same name.
     *
     * @param lineage the id of the lineage's first task
     * @param name the name of the effect
     * @param index zero-based index of the effect; 0 gives the same token as without an index
     * @return 32 hexadecimal characters
     */
    public static String token(TaskId lineage, String name, int index) {
        return unchecked(lineage, Limits.name("token", name), index);
    }

    /** The same for a name in the ledger, which may be that of a later generation. */
    static String unchecked(TaskId lineage, String name, int index) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer whole = ByteBuffer.allocate(
                        1 + 2 * Long.BYTES + nameBytes.length + (index == 0 ? 0 : 1 + Integer.BYTES))
                .put((byte) 1)
                .putLong(lineage.value().getMostSignificantBits())
                .putLong(lineage.value().getLeastSignificantBits())
                .put(nameBytes);
        if (index != 0) {
            whole.put((byte) 0)
                    .putInt(index); // no name contains a zero byte, so a name with an index never equals another name
        }
        return HexFormat.of().formatHex(Sha256.of(whole.array()), 0, 16);
    }
}
