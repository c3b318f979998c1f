package dev.semel.task;

import java.util.ArrayList;
import java.util.List;

/**
 * The address of one value inside a JSON document, as RFC 6901 defines it.
 *
 * <p>The empty string refers to the whole document. Otherwise the text is a sequence of tokens, each preceded by
 * {@code /}: the name of a member, or the index of an array element. Inside a token {@code ~0} stands for {@code ~} and
 * {@code ~1} for {@code /}. Each address has exactly one spelling, so two pointers are equal exactly when their texts
 * are.
 *
 * @param text the pointer as it is written, for example {@code /customer/name}
 */
public record JsonPointer(String text) {

    /** Checks the form. */
    public JsonPointer {
        if (!Limits.notNull("JSON pointer", text).isEmpty() && text.charAt(0) != '/') {
            throw new InvalidInput("A JSON pointer is empty or begins with \"/\", but got \"" + Limits.shown(text)
                    + "\". Write \"/\" before it.");
        }
        for (int at = text.indexOf('~'); at >= 0; at = text.indexOf('~', at + 1)) {
            if (at + 1 == text.length() || (text.charAt(at + 1) != '0' && text.charAt(at + 1) != '1')) {
                throw new InvalidInput("In a JSON pointer \"~\" is followed by 0 or 1, but at position " + at + " of \""
                        + Limits.shown(text) + "\" it is not. Write \"~0\" for \"~\" and \"~1\" for \"/\".");
            }
        }
        int half = Surrogates.firstLone(text);
        if (half >= 0) {
            throw new InvalidInput("A JSON pointer is valid Unicode, but \"" + Limits.shown(text)
                    + "\" has half of a surrogate pair at position " + half + ". Remove it.");
        }
    }

    /**
     * Creates a pointer from unescaped names and indices.
     *
     * @param tokens the names and indices from the outside in; empty for the whole document
     * @return the pointer
     */
    public static JsonPointer of(String... tokens) {
        for (String token : tokens) {
            Limits.notNull("part of a JSON pointer", token);
        }
        return new JsonPointer(join(List.of(tokens)));
    }

    /**
     * Returns the unescaped names and indices from the outside in.
     *
     * @return the tokens; empty for the whole document
     */
    public List<String> tokens() {
        List<String> tokens = new ArrayList<>();
        for (int slash = 0; slash < text.length(); ) {
            int next = text.indexOf('/', slash + 1);
            int end = next < 0 ? text.length() : next;
            // In this order: the other way round "~01" would become "/" instead of "~1".
            tokens.add(text.substring(slash + 1, end).replace("~1", "/").replace("~0", "~"));
            slash = end;
        }
        return List.copyOf(tokens);
    }

    /** Returns the pointer as it is written. */
    @Override
    public String toString() {
        return text;
    }

    // Returns text and not a pointer, because messages must also name positions that no valid pointer can name.
    static String join(List<String> tokens) {
        StringBuilder text = new StringBuilder();
        for (String token : tokens) {
            text.append('/').append(token.replace("~", "~0").replace("/", "~1"));
        }
        return text.toString();
    }
}
