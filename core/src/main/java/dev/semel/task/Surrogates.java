package dev.semel.task;

import java.util.HexFormat;

/** Finds text that is not valid Unicode: a lone half of a surrogate pair has no UTF-8 form, so it cannot be hashed. */
final class Surrogates {

    private static final int ESCAPE_LENGTH = "\\u0000".length();

    private Surrogates() {}

    /** The position of the first half without its other half, or -1. */
    static int firstLone(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!isPair(text, i)) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    /**
     * The position of the first half in JSON text without its other half written in the same way, or -1. A raw half
     * beside an escaped one is lone: decoded they would be a pair, but text with a raw half has no UTF-8 form.
     */
    static int firstLoneInJson(String json) {
        int i = 0;
        while (i < json.length()) {
            char c = json.charAt(i);
            if (c == '\\') {
                int unit = escapedUnit(json, i);
                if (unit < 0) {
                    // Another escape, "\\" among them: what comes after that one is not escaped.
                    i += 2;
                } else if (!Character.isSurrogate((char) unit)) {
                    i += ESCAPE_LENGTH;
                } else if (Character.isHighSurrogate((char) unit) && isEscapedLow(json, i + ESCAPE_LENGTH)) {
                    i += 2 * ESCAPE_LENGTH;
                } else {
                    return i;
                }
            } else if (!Character.isSurrogate(c)) {
                i++;
            } else if (isPair(json, i)) {
                i += 2;
            } else {
                return i;
            }
        }
        return -1;
    }

    /** The text with every half that has no other half replaced. */
    static String mended(String text) {
        int lone = firstLone(text);
        if (lone < 0) {
            return text;
        }
        StringBuilder mended = new StringBuilder(text);
        for (int i = lone; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (isPair(text, i)) {
                    i++;
                } else {
                    mended.setCharAt(i, '\uFFFD');
                }
            }
        }
        return mended.toString();
    }

    /** How many bytes the text takes in UTF-8; a lone half, which has no such form, counts as three. */
    static long utf8Length(String text) {
        long bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                bytes += c < 0x800 ? 1 : 2;
                if (Character.isSurrogate(c) && isPair(text, i)) {
                    // Two characters and two more bytes are the four bytes of the pair.
                    i++;
                }
            }
        }
        return bytes;
    }

    private static boolean isPair(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                && at + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(at + 1));
    }

    private static boolean isEscapedLow(String json, int at) {
        int unit = escapedUnit(json, at);
        return unit >= 0 && Character.isLowSurrogate((char) unit);
    }

    /** The code unit that is written as backslash, u and four digits at a position; -1 if there is no such thing. */
    private static int escapedUnit(String json, int at) {
        int end = at + ESCAPE_LENGTH;
        if (end > json.length() || !json.startsWith("\\u", at)) {
            return -1;
        }
        for (int i = at + 2; i < end; i++) {
            if (!HexFormat.isHexDigit(json.charAt(i))) {
                return -1;
            }
        }
        return HexFormat.fromHexDigits(json, at + 2, end);
    }
}
