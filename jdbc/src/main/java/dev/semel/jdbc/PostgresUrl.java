package dev.semel.jdbc;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Where a database is, as users write it.
 *
 * @param jdbc the same as the driver reads it, without user and password
 * @param user the user, or null if it is not said here
 * @param password the password, or null
 * @param shown for messages: host and database, nothing secret
 */
record PostgresUrl(
        String jdbc, @Nullable String user, @Nullable String password, String shown) {

    private static final String DRIVER = "jdbc:";

    /** Reads {@code postgresql://user:password@host:5432/database?option=value}; {@code jdbc:} before it is allowed. */
    static PostgresUrl parse(String text) {
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
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        String userInfo = at < 0 ? "" : authority.substring(0, at);
        int colon = userInfo.indexOf(':');
        String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
        return new PostgresUrl(
                DRIVER + "postgresql://" + host + path + query,
                user.isEmpty() ? null : decoded(user),
                colon < 0 ? null : decoded(userInfo.substring(colon + 1)),
                "at \"" + host + path + "\"");
    }

    /** Connections without a pool. */
    DataSource single() {
        PGSimpleDataSource single = new PGSimpleDataSource();
        single.setUrl(jdbc);
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
