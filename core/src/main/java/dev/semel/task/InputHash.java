package dev.semel.task;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of an input's canonical form. Two inputs with the same hash are the same request.
 *
 * <p>The hash covers the UTF-8 bytes of the canonical form ({@link Json#canonical()}), so white space, the order of
 * members, escapes, the spelling of numbers and null members make no difference.
 */
public final class InputHash {

    private static final String PREFIX = "sha256:";
    private static final HexFormat HEX = HexFormat.of();

    private final byte[] bytes;

    private InputHash(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Hashes an input without its excluded parts.
     *
     * @param input the input
     * @param leftOut the members and elements to exclude
     * @return the hash
     * @throws InvalidInput if the whole input is excluded
     */
    public static InputHash of(Json input, Collection<JsonPointer> leftOut) {
        return ofText(input.canonical(leftOut));
    }

    /**
     * Hashes selected fields of an input. The order of the fields and repeated fields make no difference.
     *
     * @param input the input
     * @param fields pointers to the fields
     * @return the hash of the array of pairs {@code [pointer, value]}, sorted by pointer, in canonical form
     * @throws InvalidInput if there are no fields, or one of them is missing or null
     */
    public static InputHash ofFields(Json input, List<JsonPointer> fields) {
        if (fields.isEmpty()) {
            throw new InvalidInput(
                    "A hash of selected fields needs at least one field, but got none: all inputs would be equal."
                            + " Name a field by a JSON pointer, such as \"/customer\".");
        }
        SortedSet<JsonPointer> sorted = new TreeSet<>(Comparator.comparing(JsonPointer::text));
        sorted.addAll(fields);
        List<JsonValue> pairs = new ArrayList<>(sorted.size());
        for (JsonPointer field : sorted) {
            JsonValue value = input.root().find(field.tokens());
            if (value == null) {
                throw new InvalidInput(
                        "A selected field must be present and not null, but \"" + Limits.shown(field.text())
                                + "\" is missing or null in the input. Send a value for it, or select other fields.");
            }
            pairs.add(new JsonValue.Elements(List.of(new JsonValue.Text(field.text()), value)));
        }
        return ofText(CanonicalWriter.canonical(new JsonValue.Elements(pairs), ExcludedFields.NOTHING, 128));
    }

    /**
     * Restores a hash from its stored bytes.
     *
     * @param bytes its 32 bytes
     * @return the hash
     * @throws InvalidInput if the array does not have 32 bytes
     */
    public static InputHash ofBytes(byte[] bytes) {
        if (bytes.length != Sha256.LENGTH) {
            throw new InvalidInput("An input hash has " + Sha256.LENGTH + " bytes, but got " + bytes.length
                    + ". Pass the array that bytes() returned.");
        }
        return new InputHash(bytes.clone());
    }

    /**
     * Reads a hash as {@link #toString()} writes it.
     *
     * @param text {@code sha256:} and 64 hexadecimal digits
     * @return the hash
     * @throws InvalidInput if the text has another form
     */
    public static InputHash parse(String text) {
        if (text.startsWith(PREFIX) && text.length() == PREFIX.length() + 2 * Sha256.LENGTH) {
            try {
                return new InputHash(HEX.parseHex(text, PREFIX.length(), text.length()));
            } catch (IllegalArgumentException e) {
                // Not hexadecimal: reported below like every other wrong form.
            }
        }
        throw new InvalidInput("An input hash is \"sha256:\" followed by 64 hexadecimal digits, but got \""
                + Limits.shown(text) + "\". Pass the text that toString() returned.");
    }

    /**
     * Returns the bytes of the hash for storage.
     *
     * @return a new array of 32 bytes
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns whether the other is a hash of the same bytes. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof InputHash hash && Arrays.equals(bytes, hash.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns the hash as {@code sha256:} and 64 hexadecimal digits in lower case. */
    @Override
    public String toString() {
        return PREFIX + HEX.formatHex(bytes);
    }

    private static InputHash ofText(String text) {
        return new InputHash(Sha256.of(text.getBytes(StandardCharsets.UTF_8)));
    }
}
