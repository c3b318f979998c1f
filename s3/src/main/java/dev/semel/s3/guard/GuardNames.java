package dev.semel.s3.guard;

import dev.semel.guard.GuardKey;
import dev.semel.task.Identity;
import dev.semel.task.Scope;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a guard's objects: {@code idempotency/{scope}/{key_hash}/{number}.json}.
 *
 * <p>The scope is the tenant in a form that is a safe segment: whatever a tenant contains, it cannot leave its place. The hash
 * is that of tenant and key. A number is the day on which its chain began, in eight digits, and nine digits that count up
 * within the chain. So a new chain never uses the names of an older one, and a deletion that arrives late hits nothing new.
 */
public final class GuardNames {

    static final String ROOT = "idempotency/";

    private static final long PER_DAY = 1_000_000_000L;
    private static final int MAX_SCOPE = 120;
    private static final Scope GUARD = Scope.custom("semel:guard");
    private static final Pattern NAME = Pattern.compile("(idempotency/[^/]+/[0-9a-f]{64}/)([0-9]{17})\\.json");

    private GuardNames() {}

    /** Returns the hash of a key, as 64 hexadecimal digits. */
    static String hash(GuardKey key) {
        return HexFormat.of()
                .formatHex(Identity.of(key.tenant(), GUARD, "guard", "guard", key.key())
                        .hash());
    }

    /**
     * Returns the directory of a key, with a slash at its end.
     *
     * @param key the key
     * @return for example {@code idempotency/default/5f2c…/}
     */
    public static String directory(GuardKey key) {
        return ROOT + scope(key.tenant()) + "/" + hash(key) + "/";
    }

    /** Escapes a tenant; two tenants never have the same scope. */
    static String scope(String tenant) {
        StringBuilder escaped = new StringBuilder();
        for (byte each : tenant.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || (c == '.' && !escaped.isEmpty());
            if (plain) {
                escaped.append(c);
            } else {
                escaped.append('=').append(HexFormat.of().toHexDigits(each));
            }
        }
        // Two equals signs never begin an escaped text.
        return escaped.length() <= MAX_SCOPE ? escaped.toString() : "==" + sha256(tenant);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    static String name(String directory, long number) {
        return directory + String.format(Locale.ROOT, "%017d", number) + ".json";
    }

    /** Returns the number of a name in this directory, if it has one. */
    static OptionalLong number(String directory, String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches() && matcher.group(1).equals(directory)
                ? OptionalLong.of(Long.parseLong(matcher.group(2)))
                : OptionalLong.empty();
    }

    /** Returns the directory of an object of a guard, or an empty text. */
    static String directoryOf(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches() ? matcher.group(1) : "";
    }

    /** Returns the first number of a chain that begins on the day of a time. */
    static long first(Instant time) {
        LocalDate date = LocalDate.ofInstant(time, ZoneOffset.UTC);
        return (date.getYear() * 10_000L + date.getMonthValue() * 100L + date.getDayOfMonth()) * PER_DAY;
    }

    static boolean isFirst(long number) {
        return number % PER_DAY == 0;
    }

    /** Returns the first number of the chain of a number. */
    static long chain(long number) {
        return number - number % PER_DAY;
    }

    /** Returns the first number after those of a chain. */
    static long afterChain(long number) {
        return chain(number) + PER_DAY;
    }

    /** Returns the end of the day of a time. */
    static Instant endOfDay(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC)
                .plusDays(1)
                .atStartOfDay(ZoneOffset.UTC)
                .toInstant();
    }
}
