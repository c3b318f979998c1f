package dev.semel.cli;

import dev.semel.task.Limits;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Values as people read them. */
final class Text {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private static final DateTimeFormatter SHORT_TIME = DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT);

    private static final DateTimeFormatter TIME_OF_DAY = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    private Text() {}

    /** A time on this machine's wall, to the second. */
    static String time(@Nullable Instant time) {
        return time == null ? "-" : TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /** A time in as few characters as tell one from another in a list. */
    static String shortTime(Instant time) {
        return SHORT_TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /** A time beside another one: to the millisecond without its day if that is the same, because then order matters. */
    static String timeBeside(Instant other, Instant time) {
        ZoneId zone = ZoneId.systemDefault();
        return time.atZone(zone).toLocalDate().equals(other.atZone(zone).toLocalDate())
                ? TIME_OF_DAY.format(time.atZone(zone))
                : time(time);
    }

    /** A span, to the precision that a person cares for. */
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

    /** A number of things: {@code 1 task}, {@code 2 tasks}. */
    static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /** A word of JSON as people write it: {@code not_done} is {@code not done}. */
    static String words(String word) {
        return word.replace('_', ' ');
    }

    static String firstLine(@Nullable String text) {
        return text == null
                ? ""
                : printable(
                        text.lines().filter(line -> !line.isBlank()).findFirst().orElse(""));
    }

    /** A text of somebody else's, which must not control the terminal. */
    static String printable(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> Character.isISOControl(c) && c != '\n' && c != '\t' ? 0xFFFD : c)
                .forEach(safe::appendCodePoint);
        return safe.toString();
    }

    static String shown(String value) {
        return Limits.shown(value);
    }

    /** Cuts a text to a width, and marks that. */
    static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
    }

    /** Breaks a text into lines of a width, between words where that is possible. */
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
