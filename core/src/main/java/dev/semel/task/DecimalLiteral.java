package dev.semel.task;

import org.jspecify.annotations.Nullable;

/**
 * Converts the literal of a JSON number to the canonical spelling of its exact value.
 *
 * <p>The layout is that of ECMAScript's {@code Number::toString}, which RFC 8785 uses, but over the digits of the
 * literal instead of those of the nearest double: 9007199254740993 must not become …992. It works on digits alone, in
 * linear time: a million digits through BigDecimal would cost quadratic time, and 1e999999999 a gigabyte.
 */
final class DecimalLiteral {

    // Outside these positions of the decimal point ECMAScript changes to an exponent.
    private static final int MOST_DIGITS_BEFORE_POINT = 21;
    private static final int MOST_ZEROS_AFTER_POINT = 5;

    // Far above every allowed exponent, and far below an overflow when the number of digits is added.
    private static final long EXPONENT_CEILING = 1_000_000_000_000L;

    private DecimalLiteral() {}

    /**
     * Returns the canonical spelling, or null if the exponent of the value in scientific form is beyond an int. The
     * limit applies to that exponent and not to the written one, so that all spellings of a value, including the
     * canonical one, are accepted or rejected alike.
     *
     * @param literal a number that follows the grammar of RFC 8259
     */
    static @Nullable String canonical(String literal) {
        int start = literal.charAt(0) == '-' ? 1 : 0;
        int point = -1;
        int end = start;
        while (end < literal.length() && literal.charAt(end) != 'e' && literal.charAt(end) != 'E') {
            if (literal.charAt(end) == '.') {
                point = end;
            }
            end++;
        }
        boolean isInteger = point < 0 && end == literal.length();
        if (isInteger && end - start <= MOST_DIGITS_BEFORE_POINT) {
            return literal.equals("-0") ? "0" : literal;
        }
        int wholeDigits = (point < 0 ? end : point) - start;
        String digits = point < 0
                ? literal.substring(start, end)
                : literal.substring(start, point).concat(literal.substring(point + 1, end));
        int first = 0;
        while (first < digits.length() && digits.charAt(first) == '0') {
            first++;
        }
        if (first == digits.length()) {
            return "0";
        }
        int last = digits.length();
        while (digits.charAt(last - 1) == '0') {
            last--;
        }
        long pointAfter = wholeDigits - first + exponent(literal, end);
        if (Math.abs(pointAfter - 1) > Integer.MAX_VALUE) {
            return null;
        }
        return layout(start == 1, digits.substring(first, last), pointAfter);
    }

    private static long exponent(String literal, int at) {
        long exponent = 0;
        boolean negative = false;
        for (int i = at + 1; i < literal.length(); i++) {
            char c = literal.charAt(i);
            if (c == '-') {
                negative = true;
            } else if (c != '+') {
                exponent = Math.min(exponent * 10 + (c - '0'), EXPONENT_CEILING);
            }
        }
        return negative ? -exponent : exponent;
    }

    /** Writes the value 0.DIGITS × 10^pointAfter; digits neither begin nor end with a zero. */
    private static String layout(boolean negative, String digits, long pointAfter) {
        int count = digits.length();
        StringBuilder out = new StringBuilder(count + 24);
        if (negative) {
            out.append('-');
        }
        if (pointAfter > MOST_DIGITS_BEFORE_POINT || pointAfter < -MOST_ZEROS_AFTER_POINT) {
            out.append(digits.charAt(0));
            if (count > 1) {
                out.append('.').append(digits, 1, count);
            }
            long exponent = pointAfter - 1;
            out.append(exponent < 0 ? "e" : "e+").append(exponent);
        } else if (pointAfter <= 0) {
            out.append("0.").repeat('0', (int) -pointAfter).append(digits);
        } else if (pointAfter >= count) {
            out.append(digits).repeat('0', (int) pointAfter - count);
        } else {
            out.append(digits, 0, (int) pointAfter).append('.').append(digits, (int) pointAfter, count);
        }
        return out.toString();
    }
}
