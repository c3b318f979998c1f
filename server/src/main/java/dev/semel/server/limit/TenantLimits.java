package dev.semel.server.limit;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a tenant.
 *
 * @param submissions how many tasks it may submit in a period; null for any number
 * @param openTasks how many open tasks it may have; null for any number
 * @param storedBytes how many bytes of inputs, results and errors it may have stored; null for any number
 */
public record TenantLimits(
        @Nullable RateLimit submissions,
        @Nullable Long openTasks,
        @Nullable Long storedBytes) {

    /** No limits. */
    public static final TenantLimits NONE = new TenantLimits(null, null, null);

    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})(KiB|MiB|GiB|TiB)?");
    private static final long MOST = 1L << 60;

    /** Checks the numbers. */
    public TenantLimits {
        if (submissions != null && submissions.equals(RateLimit.NONE)) {
            submissions = null;
        }
        check("open tasks", openTasks);
        check("stored bytes", storedBytes);
    }

    private static void check(String what, @Nullable Long limit) {
        if (limit != null && (limit < 0 || limit > MOST)) {
            throw new InvalidInput("A limit of " + what + " is 0 to " + MOST + ", but got \"" + limit + "\".");
        }
    }

    /**
     * Reads a number of bytes.
     *
     * @param text for example {@code 1048576}, {@code 512MiB} or {@code 10GiB}
     * @return the number
     */
    public static long bytes(String text) {
        Matcher form = SIZE.matcher(text);
        if (!form.matches()) {
            throw new InvalidInput(
                    "A size is a number of bytes, or of KiB, MiB, GiB or TiB, such as \"512MiB\", but got \""
                            + Limits.shown(text) + "\".");
        }
        String unit = form.group(2) == null ? "" : form.group(2).toUpperCase(Locale.ROOT);
        int shift = switch (unit) {
            case "KIB" -> 10;
            case "MIB" -> 20;
            case "GIB" -> 30;
            case "TIB" -> 40;
            default -> 0;
        };
        long number = Long.parseLong(form.group(1));
        return number > MOST >> shift ? MOST + 1 : number << shift;
    }
}
