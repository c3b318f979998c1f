package dev.semel.task;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A JSON document that has been parsed and checked, and cannot change.
 *
 * <p>What is accepted is RFC 8259 to the letter, less what two readers could understand differently: an object has each
 * member once, and every string is valid Unicode. Numbers are never turned into a double; a document keeps each as it
 * was written and compares it by its exact value.
 *
 * <p>Equality of objects of this class is identity. To ask whether two documents mean the same, compare their
 * {@link #canonical()} forms or their {@link InputHash}es. {@link #toString()} does not show the content, which may be
 * secret.
 */
public final class Json {

    /** The most bytes of UTF-8 that a document may have: 1 MiB. */
    public static final int MAX_BYTES = Limits.DOCUMENT_BYTES;

    /** The deepest that arrays and objects may be nested in each other; {@code []} is 1 deep. */
    public static final int MAX_DEPTH = 64;

    /** The most paths that {@link #differingPaths} names. */
    public static final int MAX_PATHS = 20;

    /** The most characters of a path that {@link #differingPaths} gives; a longer one is cut there and ends in "…". */
    public static final int MAX_PATH_LENGTH = 255;

    /**
     * What stands for the whole document among paths. Its pointer is the empty text, which nobody would see in a
     * message, and {@code "/"} is taken: it is the member whose name is empty.
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
     *     {@link #MAX_DEPTH}, has a member twice in one object, half of a surrogate pair in a string or a name, or a
     *     number whose exponent does not fit an int. The message names the place, and never a value
     */
    public static Json parse(String text) {
        long bytes = Surrogates.utf8Length(text);
        if (bytes > MAX_BYTES) {
            throw new InvalidInput("JSON text has at most " + MAX_BYTES + " bytes of UTF-8, but got " + bytes
                    + ". Keep the large part elsewhere, and send where it is.");
        }
        return new Json(text, JsonReader.read(text, bytes == text.length()));
    }

    /**
     * The text of the document.
     *
     * @return the text as it was parsed; for a part taken with {@link #at}, the same values written without white space
     *     and with sorted members
     */
    public String text() {
        return text;
    }

    /**
     * The one spelling of what this document means: RFC 8785, with two differences. A member that is null is absent (an
     * element that is null stays), and a number keeps its exact value: RFC 8785 rounds to a double, so that 2^53
     * and 2^53 + 1 would fall together. Numbers are laid out as RFC 8785 does it, but with all their digits.
     *
     * @return the canonical text; it may be longer than the original, because {@code 1e20} is written out
     */
    public String canonical() {
        return canonical(List.of());
    }

    /**
     * The canonical form of the document without some of its parts, which are removed before anything else.
     *
     * @param leftOut the members and elements to remove; what is not there need not be removed and is no error. Each
     *     index counts in the array as it is, and the elements after a removed one move up: {@code [1,2,3]} without
     *     {@code /1} is {@code [1,3]}
     * @return the canonical text
     * @throws InvalidInput if the whole document is to be removed
     */
    public String canonical(Collection<JsonPointer> leftOut) {
        return CanonicalWriter.canonical(root, LeftOut.of(leftOut), text.length());
    }

    /**
     * The part of the document at a place.
     *
     * @param pointer the place
     * @return the part; empty if there is nothing at that place, or null
     */
    public Optional<Json> at(JsonPointer pointer) {
        return Optional.ofNullable(root.find(pointer.tokens()))
                .map(part -> new Json(CanonicalWriter.faithful(part), part));
    }

    /**
     * The places at which two documents differ, judged as in their canonical forms. Names are shown and values never.
     *
     * @param before the one document
     * @param after the other
     * @param leftOut the members and elements that do not count
     * @return JSON pointers as text, in the order of the canonical form; {@link #ROOT_PATH} for the whole document.
     *     There are at most {@link #MAX_PATHS}; if more places differ, one further entry {@code "…"} says so. Empty
     *     exactly if the canonical forms are equal
     * @throws InvalidInput if the whole document is left out
     */
    public static List<String> differingPaths(Json before, Json after, Collection<JsonPointer> leftOut) {
        return JsonDiff.paths(before.root, after.root, LeftOut.of(leftOut));
    }

    /**
     * Writes a text as a JSON string.
     *
     * @param text the text; halves of surrogate pairs, which no document may have, become U+FFFD
     * @return the string with its quotes
     */
    public static String quoted(String text) {
        return CanonicalWriter.quoted(Surrogates.mended(text));
    }

    JsonValue root() {
        return root;
    }

    /** The size of the document, without its content. */
    @Override
    public String toString() {
        return "Json[" + text.length() + " characters]";
    }
}
