package dev.semel.jdbc;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Where a PostgreSQL store is, as users write it: {@code postgresql://user:password@host:5432/database?schema=jobs}.
 *
 * @param jdbc the same as the driver reads it, without user, password and schema
 * @param user the user, or null if it is not said here
 * @param password the password, or null
 * @param schema the schema of Semel's tables, or null if it is not said here
 * @param shown for messages: host and database, nothing secret
 */
public record PostgresUrl(
        String jdbc,
        @Nullable String user,
        @Nullable String password,
        @Nullable String schema,
        String shown) {

    private static final String DRIVER = "jdbc:";
    private static final String SCHEMA = "schema=";

    /**
     * Reads {@code postgresql://user:password@host:5432/database?option=value}; {@code jdbc:} before it is allowed. The
     * option {@code schema} is Semel's own, all others are the driver's.
     *
     * @param text as written
     * @return the parts
     * @throws InvalidInput if it has another form, or the schema no name that one can have
     */
    public static PostgresUrl parse(String text) {
        String plain = text.startsWith(DRIVER) ? text.substring(DRIVER.length()) : text;
        URI uri;
        try {
            uri = new URI(
                    plain.startsWith("postgres:") ? "postgresql:" + plain.substring("postgres:".length()) : plain);
        } catch (URISyntaxException e) {
            throw wrong(text);
        }
        if (!"postgresql".equals(uri.getScheme()) || uri.getRawAuthority() == null) {
            throw wrong(text);
        }
        String authority = uri.getRawAuthority();
        int at = authority.lastIndexOf('@');
        String host = authority.substring(at + 1);
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String userInfo = at < 0 ? "" : authority.substring(0, at);
        int colon = userInfo.indexOf(':');
        String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
        List<String> options = new ArrayList<>();
        String schema = null;
        for (String option : options(uri)) {
            if (option.startsWith(SCHEMA)) {
                schema = PostgresSettings.checkedSchema(decoded(option.substring(SCHEMA.length())));
            } else {
                options.add(option);
            }
        }
        return new PostgresUrl(
                DRIVER + "postgresql://" + host + path + (options.isEmpty() ? "" : "?" + String.join("&", options)),
                user.isEmpty() ? null : decoded(user),
                colon < 0 ? null : decoded(userInfo.substring(colon + 1)),
                schema,
                "at \"" + host + path + "\"");
    }

    private static List<String> options(URI uri) {
        String query = uri.getRawQuery();
        return query == null || query.isEmpty() ? List.of() : List.of(query.split("&", -1));
    }

    /**
     * The same URL with another schema, for a store beside the one that it names.
     *
     * @param text as written
     * @param schema the name of the schema
     * @return a URL; it has the password too, if the other has one
     */
    public static String withSchema(String text, String schema) {
        PostgresUrl unused = parse(text);
        int question = text.indexOf('?');
        StringBuilder all = new StringBuilder(question < 0 ? text : text.substring(0, question)).append('?');
        if (question >= 0) {
            for (String option : text.substring(question + 1).split("&", -1)) {
                if (!option.isEmpty() && !option.startsWith(SCHEMA)) {
                    all.append(option).append('&');
                }
            }
        }
        return all.append(SCHEMA).append(PostgresSettings.checkedSchema(schema)).toString();
    }

    /** The settings in the schema that is named here, if one is. */
    PostgresSettings applied(PostgresSettings settings) {
        return schema == null ? settings : settings.withSchema(schema);
    }

    /**
     * Connections without a pool.
     *
     * @return where they come from
     */
    public DataSource single() {
        return single(0);
    }

    /** Connections without a pool that wait so many seconds for an answer, unless the URL says how long. */
    DataSource single(int answerSeconds) {
        PGSimpleDataSource single = new PGSimpleDataSource();
        single.setUrl(jdbc);
        if (single.getSocketTimeout() == 0) {
            single.setSocketTimeout(answerSeconds);
        }
        if (user != null) {
            single.setUser(user);
        }
        if (password != null) {
            single.setPassword(password);
        }
        return single;
    }

    private static String decoded(String text) {
        // A plus is a plus here, as in every part of a URL but the form data.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static InvalidInput wrong(String text) {
        return new InvalidInput("A PostgreSQL store reads \"postgresql://user:password@host:5432/database\", but got \""
                + Limits.shown(text.replaceAll("//[^@/]*@", "//…@")) + "\".");
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "PostgresUrl[" + shown + "]";
    }
}
