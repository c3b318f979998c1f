package dev.semel.schedule;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.List;

/**
 * One field of a cron expression: its values as bits, and for days also "last" and "nth weekday".
 *
 * @param bits one bit for each value that matches
 * @param wildcard whether the field begins with an asterisk: every value, perhaps in steps
 * @param lastDay whether {@code L} is given: the last day of the month
 * @param lastOf one bit for each weekday of which the last one in the month matches
 * @param nth five bits for each weekday: of which the first to fifth one in the month matches
 */
record CronField(long bits, boolean wildcard, boolean lastDay, int lastOf, long nth) {

    /** The kinds of fields, in the order of an expression with seconds. */
    enum Kind {
        SECOND("seconds", 0, 59, ""),
        MINUTE("minutes", 0, 59, ""),
        HOUR("hours", 0, 23, ""),
        DAY("days of the month", 1, 31, ""),
        MONTH("months", 1, 12, ",JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC"),
        // 7 is Sunday too.
        WEEKDAY("days of the week", 0, 7, "SUN,MON,TUE,WED,THU,FRI,SAT");

        private final String plural;
        private final int least;
        private final int greatest;
        private final String names; // separated by commas, in the order of their values

        Kind(String plural, int least, int greatest, String names) {
            this.plural = plural;
            this.least = least;
            this.greatest = greatest;
            this.names = names;
        }

        private int last() {
            return this == WEEKDAY ? 6 : greatest;
        }
    }

    boolean has(int value) {
        return (bits & (1L << value)) != 0;
    }

    /** Returns the least value that matches and is not below the given one; -1 if there is none. */
    int next(int from) {
        long rest = from > 63 ? 0 : bits & (-1L << from);
        return rest == 0 ? -1 : Long.numberOfTrailingZeros(rest);
    }

    static CronField of(Kind kind, int value) {
        return new CronField(1L << value, false, false, 0, 0);
    }

    static CronField parse(Kind kind, String text, String whole, int column) {
        return new Parser(kind, whole).parse(text, column);
    }

    /** A parser of one field, which knows the whole expression for its messages. */
    private static final class Parser {

        private final Kind kind;
        private final String whole;
        private long bits;
        private boolean wildcard;
        private boolean lastDay;
        private int lastOf;
        private long nth;

        Parser(Kind kind, String whole) {
            this.kind = kind;
            this.whole = whole;
        }

        CronField parse(String text, int column) {
            int at = column;
            for (String item : text.split(",", -1)) {
                item(item, at);
                at += item.length() + 1;
            }
            return new CronField(bits, wildcard, lastDay, lastOf, nth);
        }

        private void item(String item, int column) {
            if (item.isEmpty()) {
                throw wrong("expected a value", item, column);
            }
            String upper = upper(item);
            if (kind == Kind.DAY && upper.equals("L")) {
                lastDay = true;
            } else if (kind == Kind.WEEKDAY && upper.contains("#")) {
                nthWeekday(upper, column);
            } else if (kind == Kind.WEEKDAY && upper.length() > 1 && upper.endsWith("L")) {
                lastOf |= 1 << (value(upper.substring(0, upper.length() - 1), column) % 7);
            } else {
                range(upper, column);
            }
        }

        /** In capitals, as far as they are ASCII: a text must not become longer, because its place is reported. */
        private static String upper(String item) {
            StringBuilder upper = new StringBuilder(item);
            for (int i = 0; i < upper.length(); i++) {
                char c = upper.charAt(i);
                if (c >= 'a' && c <= 'z') {
                    upper.setCharAt(i, (char) (c - 'a' + 'A'));
                }
            }
            return upper.toString();
        }

        private void nthWeekday(String item, int column) {
            int mark = item.indexOf('#');
            int day = value(item.substring(0, mark), column) % 7;
            String count = item.substring(mark + 1);
            if (!count.matches("[1-5]")) {
                throw wrong("a weekday of the month is the 1st to 5th, as in MON#2", count, column + mark + 1);
            }
            nth |= 1L << (day * 5 + Integer.parseInt(count) - 1);
        }

        private void range(String item, int column) {
            int slash = item.indexOf('/');
            String range = slash < 0 ? item : item.substring(0, slash);
            int step = slash < 0 ? 1 : step(item.substring(slash + 1), column + slash + 1);
            int dash = range.indexOf('-');
            int from;
            int to;
            if (range.equals("*") || (range.equals("?") && (kind == Kind.DAY || kind == Kind.WEEKDAY))) {
                from = kind.least;
                to = kind.last();
                wildcard = true;
            } else if (dash > 0) {
                from = value(range.substring(0, dash), column);
                to = value(range.substring(dash + 1), column + dash + 1);
                if (kind == Kind.WEEKDAY && to == 0) {
                    to = 7; // FRI-SUN
                }
                if (from > to) {
                    throw wrong("a range goes from the lower to the higher value", range, column);
                }
            } else {
                from = value(range, column);
                to = slash < 0 ? from : kind.last();
            }
            for (int value = from; value <= to; value += step) {
                bits |= 1L << (kind == Kind.WEEKDAY ? value % 7 : value);
            }
        }

        private int step(String text, int column) {
            if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) == 0 || Integer.parseInt(text) > kind.greatest) {
                throw wrong("a step is 1 to " + kind.greatest, text, column);
            }
            return Integer.parseInt(text);
        }

        private int value(String text, int column) {
            int named = text.isEmpty() ? -1 : List.of(kind.names.split(",")).indexOf(text);
            if (named >= 0) {
                return named;
            }
            if (!text.matches("[0-9]{1,4}")
                    || Integer.parseInt(text) < kind.least
                    || Integer.parseInt(text) > kind.greatest) {
                throw wrong(kind.plural + " are " + kind.least + " to " + kind.greatest, text, column);
            }
            return Integer.parseInt(text);
        }

        private InvalidInput wrong(String expected, String got, int column) {
            return new InvalidInput("Cron expression \"" + Limits.shown(whole) + "\": " + expected + ", but got \""
                    + Limits.shown(whole.substring(column - 1, column - 1 + got.length())) + "\" at column " + column
                    + ".");
        }
    }
}
