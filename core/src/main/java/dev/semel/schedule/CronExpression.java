package dev.semel.schedule;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cron expression: a set of local times.
 *
 * <p>It has five fields (minute, hour, day of the month, month, day of the week) or six with seconds in front. A field is a list of
 * values, ranges and steps: {@code *}, {@code 5}, {@code 1-5}, {@code *}{@code /15}, {@code 10-30/5}. Months and days of the week have
 * English names ({@code JAN}, {@code MON}); Sunday is 0 or 7. {@code L} is the last day of the month, {@code FRIL} its last Friday and
 * {@code MON#2} its second Monday. If both the day of the month and the day of the week are restricted, a day matches if either does.
 * Instead of the fields there may be one word: {@code @yearly}, {@code @monthly}, {@code @weekly}, {@code @daily}, {@code @hourly}.
 */
public final class CronExpression {

    private static final Map<String, String> WORDS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    // Every combination of month, day and day of the week comes within 28 years, unless a leap day is left out on the
    // way (2100).
    private static final int HORIZON_YEARS = 42;

    private final String text;
    private final CronField seconds;
    private final CronField minutes;
    private final CronField hours;
    private final CronField days;
    private final CronField months;
    private final CronField weekdays;

    private CronExpression(String text, List<CronField> fields) {
        this.text = text;
        this.seconds = fields.get(0);
        this.minutes = fields.get(1);
        this.hours = fields.get(2);
        this.days = fields.get(3);
        this.months = fields.get(4);
        this.weekdays = fields.get(5);
    }

    /**
     * Reads an expression.
     *
     * @param text the expression
     * @return what it means
     * @throws InvalidInput if the text is not a cron expression, or no time can ever match; the message says at which column
     */
    public static CronExpression parse(String text) {
        String trimmed = text.strip();
        if (trimmed.startsWith("@")) {
            String meaning = WORDS.get(trimmed.toLowerCase(Locale.ROOT));
            if (meaning == null) {
                throw new InvalidInput("Cron expression \"" + Limits.shown(text)
                        + "\" is not known. Use @hourly, @daily, @weekly, @monthly or @yearly.");
            }
            return new CronExpression(trimmed, fields(meaning, meaning));
        }
        CronExpression expression = new CronExpression(trimmed, fields(trimmed, text));
        if (expression.nextDate(LocalDate.of(2000, 1, 1)) == null) {
            throw new InvalidInput("Cron expression \"" + Limits.shown(text)
                    + "\" never fires: no month that it names has such a day.");
        }
        return expression;
    }

    private static List<CronField> fields(String trimmed, String whole) {
        List<String> parts = new ArrayList<>();
        List<Integer> columns = new ArrayList<>();
        int offset = whole.indexOf(trimmed);
        int at = 0;
        while (at < trimmed.length()) {
            int end = at;
            while (end < trimmed.length() && !Character.isWhitespace(trimmed.charAt(end))) {
                end++;
            }
            parts.add(trimmed.substring(at, end));
            columns.add(offset + at + 1);
            while (end < trimmed.length() && Character.isWhitespace(trimmed.charAt(end))) {
                end++;
            }
            at = end;
        }
        CronField.Kind[] kinds = CronField.Kind.values();
        if (parts.size() != kinds.length && parts.size() != kinds.length - 1) {
            throw new InvalidInput(
                    "A cron expression has 5 fields (minute, hour, day of the month, month, day of the week),"
                            + " or 6 with seconds in front, but got " + parts.size() + " in \"" + Limits.shown(whole)
                            + "\".");
        }
        int missing = kinds.length - parts.size();
        List<CronField> fields = new ArrayList<>();
        if (missing == 1) {
            fields.add(CronField.of(CronField.Kind.SECOND, 0));
        }
        for (int i = 0; i < parts.size(); i++) {
            fields.add(CronField.parse(kinds[i + missing], parts.get(i), whole, columns.get(i)));
        }
        return fields;
    }

    /** Returns whether the hour is a wildcard, so that the schedule follows elapsed time when clocks are changed. */
    boolean isEveryHour() {
        return hours.wildcard();
    }

    boolean matches(LocalDateTime time) {
        return matches(time.toLocalDate())
                && hours.has(time.getHour())
                && minutes.has(time.getMinute())
                && seconds.has(time.getSecond());
    }

    boolean matches(LocalDate date) {
        return months.has(date.getMonthValue()) && matchesDay(date);
    }

    private boolean matchesDay(LocalDate date) {
        // As in every cron since 1975: if both are restricted, either is enough.
        if (days.wildcard()) {
            return matchesWeekday(date) && matchesDayOfMonth(date);
        }
        return weekdays.wildcard()
                ? matchesDayOfMonth(date) && matchesWeekday(date)
                : matchesDayOfMonth(date) || matchesWeekday(date);
    }

    private boolean matchesDayOfMonth(LocalDate date) {
        return days.has(date.getDayOfMonth()) || (days.lastDay() && date.getDayOfMonth() == date.lengthOfMonth());
    }

    private boolean matchesWeekday(LocalDate date) {
        int weekday = date.getDayOfWeek().getValue() % 7;
        int day = date.getDayOfMonth();
        return weekdays.has(weekday)
                || ((weekdays.lastOf() & (1 << weekday)) != 0 && day + 7 > date.lengthOfMonth())
                || (weekdays.nth() & (1L << (weekday * 5 + (day - 1) / 7))) != 0;
    }

    /** Returns the first date from the given one on that matches; null if there is none. */
    @Nullable
    LocalDate nextDate(LocalDate from) {
        LocalDate last = from.plusYears(HORIZON_YEARS);
        for (LocalDate date = from; date.isBefore(last); ) {
            if (!months.has(date.getMonthValue())) {
                date = date.withDayOfMonth(1).plusMonths(1);
            } else if (matchesDay(date)) {
                return date;
            } else {
                date = date.plusDays(1);
            }
        }
        return null;
    }

    /** Returns the first time of day from the given one on that matches; null if there is none on that day. */
    @Nullable
    LocalTime nextTime(LocalTime from) {
        int hour = hours.next(from.getHour());
        int minute = hour == from.getHour() ? from.getMinute() : 0;
        int second = hour == from.getHour() ? from.getSecond() : 0;
        while (hour >= 0) {
            int nextMinute = minutes.next(minute);
            while (nextMinute >= 0) {
                int nextSecond = seconds.next(nextMinute == minute ? second : 0);
                if (nextSecond >= 0) {
                    return LocalTime.of(hour, nextMinute, nextSecond);
                }
                nextMinute = minutes.next(nextMinute + 1);
            }
            hour = hours.next(hour + 1);
            minute = 0;
            second = 0;
        }
        return null;
    }

    /** Returns the first local time from the given one on that matches; null if there is none. */
    @Nullable
    LocalDateTime next(LocalDateTime from) {
        LocalDate date = nextDate(from.toLocalDate());
        while (date != null) {
            LocalTime time = nextTime(date.equals(from.toLocalDate()) ? from.toLocalTime() : LocalTime.MIDNIGHT);
            if (time != null) {
                return date.atTime(time);
            }
            date = nextDate(date.plusDays(1));
        }
        return null;
    }

    /**
     * Returns the expression as it was written.
     *
     * @return its text
     */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CronExpression that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** {@return the text of the expression} */
    @Override
    public String toString() {
        return text;
    }
}
