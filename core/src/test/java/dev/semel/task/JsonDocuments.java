package dev.semel.task;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A generator of random documents, of their random spellings and of changes to them, all from one seed.
 *
 * <p>A document is a tree of Map, List, String, BigDecimal, Boolean and null, so that nothing here is shared with the
 * code that it tests.
 */
final class JsonDocuments {

    private static final String[] ALPHABET = {
        "a", "b", "Z", "0", " ", "/", "~", "\"", "\\", "\b", "\t", "\n", "\f", "\r", "\u0000", "\u001f", "\u007f", "é",
        "€", "\u2028", "\ufb33", "\uffff", "😀", "𝄞"
    };

    private final Random random;

    JsonDocuments(long seed) {
        this.random = new Random(seed);
    }

    /** Returns a random document. */
    @Nullable
    Object document() {
        return value(5);
    }

    private @Nullable Object value(int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 4)) {
            case 0 -> random.nextInt(3) == 0 ? null : (Object) random.nextBoolean();
            case 1, 2 -> number();
            case 3 -> string();
            case 4, 5, 6 -> {
                Map<String, @Nullable Object> members = new LinkedHashMap<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    members.put(string(), value(depth - 1));
                }
                yield members;
            }
            default -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    elements.add(value(depth - 1));
                }
                yield elements;
            }
        };
    }

    private BigDecimal number() {
        BigInteger digits = new BigInteger(random.nextInt(random.nextInt(10) == 0 ? 200 : 60) + 1, random);
        int scale = random.nextInt(4) == 0 ? random.nextInt(-40, 41) : random.nextInt(3);
        return new BigDecimal(random.nextBoolean() ? digits : digits.negate(), scale);
    }

    private String string() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(ALPHABET[random.nextInt(ALPHABET.length)]);
        }
        return text.toString();
    }

    /** Returns the document with exactly one significant change. */
    @Nullable
    Object changed(@Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            Map<String, @Nullable Object> copy = new LinkedHashMap<>();
            members.forEach((name, member) -> copy.put((String) name, member));
            if (copy.isEmpty() || random.nextInt(4) == 0) {
                copy.put(freshName(copy), false);
                return copy;
            }
            String name = List.copyOf(copy.keySet()).get(random.nextInt(copy.size()));
            if (copy.get(name) != null && random.nextInt(4) == 0) {
                copy.remove(name);
            } else {
                copy.put(name, changed(copy.get(name)));
            }
            return copy;
        }
        if (value instanceof List<?> elements) {
            List<@Nullable Object> copy = new ArrayList<>(elements);
            if (copy.isEmpty() || random.nextInt(4) == 0) {
                copy.add(null);
            } else {
                int index = random.nextInt(copy.size());
                copy.set(index, changed(copy.get(index)));
            }
            return copy;
        }
        if (value instanceof String text) {
            return text + ALPHABET[random.nextInt(ALPHABET.length)];
        }
        if (value instanceof BigDecimal number) {
            return number.add(number.ulp());
        }
        return value == null ? (Object) true : !((Boolean) value);
    }

    private String freshName(Map<String, ?> members) {
        String name = string();
        while (members.containsKey(name)) {
            name += "x";
        }
        return name;
    }

    /** Returns a random spelling of the document: any white space, order, escapes and numbers, and null members. */
    String spelled(@Nullable Object document) {
        StringBuilder out = new StringBuilder();
        spell(document, out);
        return out.toString();
    }

    private void spell(@Nullable Object value, StringBuilder out) {
        space(out);
        if (value instanceof Map<?, ?> members) {
            Map<String, @Nullable Object> all = new LinkedHashMap<>();
            members.forEach((name, member) -> all.put((String) name, member));
            while (random.nextInt(3) == 0) {
                all.put(freshName(all), null);
            }
            List<String> names = new ArrayList<>(all.keySet());
            Collections.shuffle(names, random);
            String separator = "";
            out.append('{');
            for (String name : names) {
                out.append(separator);
                separator = ",";
                space(out);
                spellText(name, out);
                space(out);
                out.append(':');
                spell(all.get(name), out);
            }
            space(out);
            out.append('}');
        } else if (value instanceof List<?> elements) {
            String separator = "";
            out.append('[');
            for (Object element : elements) {
                out.append(separator);
                separator = ",";
                spell(element, out);
            }
            space(out);
            out.append(']');
        } else if (value instanceof String text) {
            spellText(text, out);
        } else if (value instanceof BigDecimal number) {
            out.append(spelledNumber(number));
        } else {
            out.append(value);
        }
        space(out);
    }

    private void space(StringBuilder out) {
        while (random.nextInt(3) == 0) {
            out.append(" \t\r\n".charAt(random.nextInt(4)));
        }
    }

    private void spellText(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int shortForm = "\"\\/\b\f\n\r\t".indexOf(c);
            boolean mustEscape = c < 0x20 || c == '"' || c == '\\';
            // Both halves of a pair in the same way, as the rules require.
            boolean isPair = Character.isHighSurrogate(c);
            if (shortForm >= 0 && random.nextBoolean()) {
                out.append('\\').append("\"\\/bfnrt".charAt(shortForm));
            } else if (mustEscape || random.nextInt(4) == 0) {
                escape(c, out);
                if (isPair) {
                    escape(text.charAt(++i), out);
                }
            } else {
                out.append(c);
                if (isPair) {
                    out.append(text.charAt(++i));
                }
            }
        }
        out.append('"');
    }

    private void escape(char c, StringBuilder out) {
        out.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) c));
    }

    /** Returns a random literal with this value. */
    String spelledNumber(BigDecimal number) {
        if (number.signum() == 0) {
            return List.of("0", "-0", "0.0", "-0.00", "0e5", "0E-7", "0.0e+99999999999")
                    .get(random.nextInt(7));
        }
        // The digits with zeros on both ends, the point anywhere between them, and the exponent that compensates for
        // it.
        int zeros = random.nextInt(4);
        String digits =
                "0".repeat(random.nextInt(4)) + number.unscaledValue().abs().toString() + "0".repeat(zeros);
        int point = random.nextInt(1, digits.length() + 1);
        int exponent = digits.length() - point - zeros - number.scale();
        String whole = digits.substring(0, point).replaceFirst("^0+(?=.)", "");
        String fraction = point == digits.length() ? "" : "." + digits.substring(point);
        String sign = exponent < 0 ? "-" : random.nextBoolean() ? "+" : "";
        String power = exponent == 0 && random.nextBoolean()
                ? ""
                : (random.nextBoolean() ? "e" : "E") + sign + "0".repeat(random.nextInt(3)) + Math.abs(exponent);
        return (number.signum() < 0 ? "-" : "") + whole + fraction + power;
    }

    /** Returns the canonical form, computed independently of the tested code. */
    static String canonical(@Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            Map<String, String> sorted = new TreeMap<>();
            members.forEach((name, member) -> {
                if (member != null) {
                    sorted.put((String) name, canonicalText((String) name) + ":" + canonical(member));
                }
            });
            return "{" + String.join(",", sorted.values()) + "}";
        }
        if (value instanceof List<?> elements) {
            return "["
                    + String.join(
                            ",", elements.stream().map(JsonDocuments::canonical).toList()) + "]";
        }
        if (value instanceof String text) {
            return canonicalText(text);
        }
        return value instanceof BigDecimal number ? canonicalNumber(number) : String.valueOf(value);
    }

    private static String canonicalText(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.chars().forEach(c -> {
            int shortForm = "\"\\\b\f\n\r\t".indexOf(c);
            if (shortForm >= 0) {
                out.append('\\').append("\"\\bfnrt".charAt(shortForm));
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append((char) c);
            }
        });
        return out.append('"').toString();
    }

    /** ECMAScript's Number::toString, steps 5 to 10, over the digits of a BigDecimal. */
    static String canonicalNumber(BigDecimal number) {
        if (number.signum() == 0) {
            return "0";
        }
        if (number.signum() < 0) {
            return "-" + canonicalNumber(number.negate());
        }
        BigDecimal stripped = number.stripTrailingZeros();
        String s = stripped.unscaledValue().toString();
        int k = s.length();
        int n = k - stripped.scale();
        if (k <= n && n <= 21) {
            return s + "0".repeat(n - k);
        }
        if (0 < n && n <= 21) {
            return s.substring(0, n) + "." + s.substring(n);
        }
        if (-6 < n && n <= 0) {
            return "0." + "0".repeat(-n) + s;
        }
        String exponent = (n - 1 < 0 ? "e-" : "e+") + Math.abs(n - 1);
        return k == 1 ? s + exponent : s.charAt(0) + "." + s.substring(1) + exponent;
    }
}
