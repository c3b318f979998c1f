package dev.semel.cli;

import dev.semel.task.Limits;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Formats values for people. */
final class Text {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private static final DateTimeFormatter SHORT_TIME = DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT);

    private static final DateTimeFormatter TIME_OF_DAY = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    private Text() {}

    /** Formats a time in this machine's time zone, to the second. */
    static String time(@Nullable Instant time) {
        return time == null ? "-" : TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /** Formats a time in as few characters as a list needs. */
    static String shortTime(Instant time) {
        return SHORT_TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /**
     * Formats a time next to another one. If both are on the same day, it has milliseconds and no date, because then
     * their order matters.
     */
    static String timeBeside(Instant other, Instant time) {
        ZoneId zone = ZoneId.systemDefault();
        return time.atZone(zone).toLocalDate().equals(other.atZone(zone).toLocalDate())
                ? TIME_OF_DAY.format(time.atZone(zone))
                : time(time);
    }

    /** Formats a duration, with the precision that a person needs. */
    static String span(Duration span) {
        long millis = span.toMillis();
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
        }
        long seconds = millis / 1000;
        if (seconds < 120) {
            return seconds + " s";
        }
        return seconds < 7_200 ? seconds / 60 + " min" : seconds / 3_600 + " h";
    }

    /** Formats a number of things: {@code 1 task}, {@code 2 tasks}. */
    static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /** Turns a name in JSON into words: {@code not_done} becomes {@code not done}. */
    static String words(String word) {
        return word.replace('_', ' ');
    }

    static String firstLine(@Nullable String text) {
        return text == null
                ? ""
                : printable(
                        text.lines().filter(line -> !line.isBlank()).findFirst().orElse(""));
    }

    /**
     * Escapes foreign text, which must not control the terminal: control characters other than line feed and tab, and
     * characters that change how their neighbours are shown.
     */
    static String printable(String text) {
        return escaped(text, c -> (Character.isISOControl(c) && c != '\n' && c != '\t') || isFormatting(c));
    }

    /** The same for a text that stays on one line. */
    static String line(String text) {
        return escaped(text, c -> Character.isISOControl(c) || isFormatting(c));
    }

    /** Escapes only what no output of this program contains by itself; in JSON the escape means the same character. */
    static String withoutFormatting(String text) {
        return escaped(text, Text::isFormatting);
    }

    /**
     * Returns whether a character is invisible and changes how others are shown: marks that turn the direction of
     * writing, separators of lines and paragraphs that are not line feeds, and half surrogate pairs.
     */
    private static boolean isFormatting(int c) {
        return switch (Character.getType(c)) {
            case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE -> true;
            default -> false;
        };
    }

    private static String escaped(String text, IntPredicate unsafe) {
        if (text.codePoints().noneMatch(unsafe)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (unsafe.test(c)) {
                for (char half : Character.toChars(c)) {
                    safe.append(String.format(Locale.ROOT, "\\u%04X", (int) half));
                }
            } else {
                safe.appendCodePoint(c);
            }
        });
        return safe.toString();
    }

    static String shown(String value) {
        return Limits.shown(value);
    }

    /** Cuts a text to a width, and marks the cut. */
    static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
    }

    /** Breaks a text into lines of a width, between words if possible. */
    static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > width) {
            int space = rest.lastIndexOf(' ', width);
            int end = space > 0 ? space : width;
            lines.add(rest.substring(0, end));
            rest = rest.substring(end).stripLeading();
        }
        lines.add(rest);
        return lines;
    }
}
