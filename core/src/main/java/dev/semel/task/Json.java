package dev.semel.task;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * An immutable JSON document that has been parsed and checked.
 *
 * <p>The accepted grammar is RFC 8259, restricted to documents that all parsers read alike: member names are unique in
 * their object, and every string is valid Unicode. Numbers are never converted to a double. A document keeps each
 * number as it was written and compares it by its exact value.
 *
 * <p>Objects of this class are equal only if they are identical. To check whether two documents have the same meaning,
 * compare their {@link #canonical()} forms or their {@link InputHash}es. {@link #toString()} does not show the content,
 * which may be secret.
 */
public final class Json {

    /** The maximum size of a document in bytes of UTF-8: 1 MiB. */
    public static final int MAX_BYTES = Limits.DOCUMENT_BYTES;

    /** The maximum nesting depth of arrays and objects; {@code []} has depth 1. */
    public static final int MAX_DEPTH = 64;

    /** The maximum number of paths that {@link #differingPaths} returns. */
    public static final int MAX_PATHS = 20;

    /**
     * The maximum length of a path that {@link #differingPaths} returns; a longer path is cut there and ends in "…".
     */
    public static final int MAX_PATH_LENGTH = 255;

    /**
     * The path of the whole document. Its JSON pointer is the empty string, which is invisible in a message, and
     * {@code "/"} is the member with the empty name.
     */
    public static final String ROOT_PATH = "(root)";

    private final String text;
    private final JsonValue root;

    private Json(String text, JsonValue root) {
        this.text = text;
        this.root = root;
    }

    /**
     * Parses and checks one document.
     *
     * @param text the JSON text
     * @return the document
     * @throws InvalidInput if the text is not valid JSON, is larger than {@link #MAX_BYTES}, is nested deeper than
     *     {@link #MAX_DEPTH}, has a duplicate member in an object, half of a surrogate pair in a string or a name, or a
     *     number whose exponent does not fit an int. The message names the position, and never a value
     */
    public static Json parse(String text) {
        long bytes = Surrogates.utf8Length(text);
        if (bytes > MAX_BYTES) {
            throw new InvalidInput("JSON text has at most " + MAX_BYTES + " bytes of UTF-8, but got " + bytes
                    + ". Store the large part elsewhere, and send a reference to it.");
        }
        return new Json(text, JsonReader.read(text, bytes == text.length()));
    }

    /**
     * Returns the text of the document.
     *
     * @return the text as it was parsed; for a part returned by {@link #at}, the same values without white space and
     *     with sorted members
     */
    public String text() {
        return text;
    }

    /**
     * Returns the canonical form of this document: RFC 8785 with two differences. A null member is removed, but a null
     * element is kept. A number keeps its exact value: RFC 8785 rounds to a double, so that 2^53 and 2^53 + 1 would
     * become equal. Numbers have the layout of RFC 8785, but with all their digits.
     *
     * @return the canonical text; it may be longer than the original, because {@code 1e20} is written out
     */
    public String canonical() {
        return canonical(List.of());
    }

    /**
     * Returns the canonical form of the document after some of its parts have been removed.
     *
     * @param leftOut the members and elements to remove; a pointer to an absent value is ignored. Each index refers to
     *     the original array, and the elements after a removed one move up: {@code [1,2,3]} without {@code /1} is
     *     {@code [1,3]}
     * @return the canonical text
     * @throws InvalidInput if a pointer refers to the whole document
     */
    public String canonical(Collection<JsonPointer> leftOut) {
        return CanonicalWriter.canonical(root, ExcludedFields.of(leftOut), text.length());
    }

    /**
     * Returns the value at a position in the document.
     *
     * @param pointer the position
     * @return the value; empty if it is absent or null
     */
    public Optional<Json> at(JsonPointer pointer) {
        return Optional.ofNullable(root.find(pointer.tokens()))
                .map(part -> new Json(CanonicalWriter.faithful(part), part));
    }

    /**
     * Returns the positions at which the canonical forms of two documents differ. The paths contain names, and never
     * values.
     *
     * @param before the first document
     * @param after the second document
     * @param leftOut the members and elements to ignore
     * @return JSON pointers as text, in the order of the canonical form; {@link #ROOT_PATH} for the whole document. At
     *     most {@link #MAX_PATHS} are returned; if more positions differ, an additional last entry {@code "…"} shows
     *     that. Empty exactly if the canonical forms are equal
     * @throws InvalidInput if a pointer refers to the whole document
     */
    public static List<String> differingPaths(Json before, Json after, Collection<JsonPointer> leftOut) {
        return JsonDiff.paths(before.root, after.root, ExcludedFields.of(leftOut));
    }

    /**
     * Writes a text as a JSON string.
     *
     * @param text the text; unpaired surrogates, which are not allowed in a document, become U+FFFD
     * @return the string with its quotes
     */
    public static String quoted(String text) {
        return CanonicalWriter.quoted(Surrogates.replaceUnpaired(text));
    }

    JsonValue root() {
        return root;
    }

    /** Returns the size of the document, without its content. */
    @Override
    public String toString() {
        return "Json[" + text.length() + " characters]";
    }
}
