package dev.semel.postgresql.connection;

import dev.semel.postgresql.sql.SchemaName;
import dev.semel.task.InvalidInput;
import dev.semel.task.Nearest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * The options of a store's URL. A name that neither Semel nor the driver knows is an error: the driver would ignore it, and
 * with {@code ?shema=jobs} tasks would be stored in another schema than the one that was meant.
 *
 * @param schema the schema of Semel's tables, or null if it is not named
 * @param drivers the options of the driver, as written
 */
public record UrlOptions(@Nullable String schema, List<String> drivers) {

    private static final String SCHEMA = "schema";
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z_-]{0,39}");
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,10}");
    private static final Pattern SECRET = Pattern.compile("password|secret|token|key|auth|arg|user");

    public static UrlOptions parse(String query) {
        List<String> drivers = new ArrayList<>();
        String schema = null;
        // What follows an option with a secret may be the rest of it, if it contains a & that is not encoded.
        boolean secret = false;
        for (String option : query.split("&", -1)) {
            if (option.isEmpty()) {
                continue;
            }
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw UrlText.malformed("has an option without a name or a value: write name=value");
            }
            String name = option.substring(0, equals);
            String value = UrlText.decoded(option.substring(equals + 1));
            if (name.equals(SCHEMA)) {
                if (schema != null) {
                    throw UrlText.malformed("names the schema twice");
                }
                schema = SchemaName.checked(value);
            } else {
                checkDrivers(name, value, secret);
                drivers.add(option);
            }
            secret |= SECRET.matcher(name.toLowerCase(Locale.ROOT)).find();
        }
        return new UrlOptions(schema, List.copyOf(drivers));
    }

    /** The options as the end of a URL for the driver. */
    public String forDriver() {
        return drivers.isEmpty() ? "" : "?" + String.join("&", drivers);
    }

    private static void checkDrivers(String name, String value, boolean afterSecret) {
        PGProperty known = PGProperty.forName(name);
        if (known == null) {
            throw unknown(name, afterSecret);
        }
        String usual = known.getDefaultValue();
        String[] choices = known.getChoices();
        if (choices != null
                && known != PGProperty.REQUIRE_AUTH
                && !List.of(choices).contains(value)) {
            throw bad(name, "one of " + String.join(", ", choices));
        }
        if (isBoolean(known) && !value.equals("true") && !value.equals("false")) {
            throw bad(name, "true or false");
        }
        if (usual != null && INTEGER.matcher(usual).matches() && !isInteger(value)) {
            throw bad(name, "a whole number");
        }
    }

    private static boolean isBoolean(PGProperty property) {
        return property.getChoices() == null
                && ("true".equals(property.getDefaultValue())
                        || "false".equals(property.getDefaultValue())
                        || property == PGProperty.SSL);
    }

    private static boolean isInteger(String value) {
        return INTEGER.matcher(value).matches() && Long.parseLong(value) == (int) Long.parseLong(value);
    }

    private static InvalidInput unknown(String name, boolean afterSecret) {
        List<String> all = Stream.concat(
                        Stream.of(SCHEMA), Arrays.stream(PGProperty.values()).map(PGProperty::getName))
                .toList();
        boolean shown = !afterSecret && NAME.matcher(name).matches();
        String nearest = shown
                ? Nearest.to(name, all)
                        .map(near -> " Did you mean \"" + near + "\"?")
                        .orElse("")
                : "";
        return new InvalidInput(
                "An option of a PostgreSQL URL is \"schema\", which is Semel's own, or one of the driver's,"
                        + " such as \"sslmode\" or \"connectTimeout\", but got "
                        + (shown
                                ? "\"" + name + "\"." + nearest
                                : "another one, which is not shown because it may be a part of a"
                                        + " password: write & in a password as %26.")
                        + " Upper and lower case are different.");
    }

    private static InvalidInput bad(String name, String expected) {
        return new InvalidInput(
                "The option \"" + name + "\" of a PostgreSQL URL is " + expected
                        + ", but got something else, which is not shown because a URL may contain a password. Correct the value.");
    }
}
