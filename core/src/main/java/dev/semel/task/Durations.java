package dev.semel.task;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in their text form: a whole number and a unit, for example {@code 30s} or {@code 7d}. */
public final class Durations {

    private static final Pattern FORM = Pattern.compile("(\\d{1,18})(ms|s|m|h|d)");

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @param text a whole number and one of {@code ms s m h d}, or {@code 0}
     * @return the duration, at most 100 years
     * @throws InvalidInput if the text has another form
     */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            try {
                long count = Long.parseLong(form.group(1));
                Duration duration = switch (form.group(2)) {
                    case "ms" -> Duration.ofMillis(count);
                    case "s" -> Duration.ofSeconds(count);
                    case "m" -> Duration.ofMinutes(count);
                    case "h" -> Duration.ofHours(count);
                    default -> Duration.ofDays(count);
                };
                return Limits.duration("duration", duration);
            } catch (ArithmeticException e) {
                throw new InvalidInput("A duration is between 0 and 100 years, but got \"" + text + "\".");
            }
        }
        throw new InvalidInput("A duration is a whole number and a unit (ms, s, m, h or d), such as \"30s\" or \"7d\","
                + " but got \"" + Limits.shown(text) + "\".");
    }

    /**
     * Writes a duration for a person to read, whatever its size or precision.
     *
     * @param duration the duration
     * @return for example {@code 90 s}, {@code 250 ms} or {@code 7 d}
     */
    public static String shown(Duration duration) {
        long seconds = duration.getSeconds();
        int nanos = duration.getNano();
        if (nanos == 0) {
            if (seconds == 0 || seconds % 60 != 0) {
                return seconds + " s";
            }
            if (seconds % 3_600 != 0) {
                return seconds / 60 + " min";
            }
            return seconds % 86_400 == 0 ? seconds / 86_400 + " d" : seconds / 3_600 + " h";
        }
        if (nanos % 1_000_000 == 0 && seconds >= -10 && seconds < 10) {
            return duration.toMillis() + " ms";
        }
        BigDecimal exact = BigDecimal.valueOf(seconds).add(BigDecimal.valueOf(nanos, 9));
        return exact.stripTrailingZeros().toPlainString() + " s";
    }

    /**
     * Writes a duration in the largest unit that is exact.
     *
     * @param duration the duration, in whole milliseconds
     * @return for example {@code 90s}; {@link #parse} reads it
     */
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0";
        }
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }
}
