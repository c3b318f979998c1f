package dev.semel.postgresql;

import dev.semel.postgresql.connection.OwnPool;
import dev.semel.postgresql.connection.UrlOptions;
import dev.semel.postgresql.connection.UrlText;
import dev.semel.postgresql.sql.SchemaName;
import dev.semel.task.Limits;
import java.util.List;
import java.util.regex.Pattern;
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
    private static final List<String> SCHEMES = List.of("postgresql://", "postgres://");

    // Name, IPv4 or bracketed IPv6 address, each with or without a port; several for a server with standbys.
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.%]+]");
    private static final int MOST_PORTS = 65_535;

    /**
     * Reads {@code postgresql://user:password@host:5432/database?option=value}; {@code jdbc:} before it is allowed, and
     * {@code postgres:} is the same. The option {@code schema} is Semel's own, all others are the driver's.
     *
     * <p>No message contains a part of a URL that may be a secret. In a malformed URL that is every part: in
     * {@code postgresql://me:5/x@db/app} the password looks like a port and a database.
     *
     * @param text as written
     * @return the parts
     * @throws dev.semel.task.InvalidInput if it has another form, an option that neither Semel nor the driver knows, or a value that an option
     *     cannot have
     */
    public static PostgresUrl parse(String text) {
        String plain = Limits.notNull("URL", text).startsWith(DRIVER) ? text.substring(DRIVER.length()) : text;
        String scheme = SCHEMES.stream()
                .filter(plain::startsWith)
                .findFirst()
                .orElseThrow(() -> UrlText.malformed("does not begin with postgresql://"));
        String rest = plain.substring(scheme.length());
        if (rest.chars().anyMatch(c -> c <= ' ' || c == '"' || c == '\\' || Character.isISOControl(c))) {
            throw UrlText.malformed("contains white space, a quotation mark or a backslash");
        }
        if (rest.indexOf('#') >= 0) {
            throw UrlText.malformed("contains a #");
        }
        int end = end(rest);
        String authority = rest.substring(0, end);
        if (rest.indexOf('@', end) >= 0) {
            throw UrlText.malformed("contains an @ behind the first / or ?");
        }
        int question = rest.indexOf('?', end);
        String path = rest.substring(end, question < 0 ? rest.length() : question);
        if (path.indexOf('/', 1) >= 0) {
            throw UrlText.malformed("contains a second / in the name of the database");
        }
        String unused = UrlText.decoded(path);
        int at = authority.lastIndexOf('@');
        String hosts = authority.substring(at + 1);
        for (String host : hosts.split(",", -1)) {
            checkHost(host);
        }
        String userInfo = at < 0 ? "" : authority.substring(0, at);
        int colon = userInfo.indexOf(':');
        String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
        UrlOptions options = UrlOptions.parse(question < 0 ? "" : rest.substring(question + 1));
        String place = hosts + (path.isEmpty() ? "/" : path);
        return new PostgresUrl(
                DRIVER + "postgresql://" + place + options.forDriver(),
                user.isEmpty() ? null : UrlText.decoded(user),
                colon < 0 ? null : UrlText.decoded(userInfo.substring(colon + 1)),
                options.schema(),
                "at \"" + place + "\"");
    }

    /** The end of user, password and hosts. */
    private static int end(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            if (rest.charAt(i) == '/' || rest.charAt(i) == '?') {
                return i;
            }
        }
        return rest.length();
    }

    private static void checkHost(String host) {
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon > host.lastIndexOf(']');
        String name = hasPort ? host.substring(0, colon) : host;
        String port = hasPort ? host.substring(colon + 1) : "1";
        if (!HOST.matcher(name).matches()) {
            throw UrlText.malformed("has no host, or one with other characters than a-z, A-Z, 0-9, - _ .");
        }
        if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > MOST_PORTS) {
            throw UrlText.malformed("has a port that is no number from 1 to " + MOST_PORTS);
        }
    }

    /**
     * The URL as it may be shown: without user, password and options.
     *
     * @return {@code postgresql://host:5432/database}
     */
    public String withoutSecrets() {
        int question = jdbc.indexOf('?');
        return jdbc.substring(DRIVER.length(), question < 0 ? jdbc.length() : question);
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
        return all.append(SCHEMA).append(SchemaName.checked(schema)).toString();
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
        return filled(new PGSimpleDataSource(), answerSeconds);
    }

    /** Connections for a pool, with the same limit. */
    OwnPool.Source pooled(int answerSeconds) {
        OwnPool.Source pooled = filled(new OwnPool.Source(), answerSeconds);
        pooled.limitLogin();
        if (!jdbc.contains("tcpKeepAlive=")) {
            pooled.setTcpKeepAlive(true);
        }
        return pooled;
    }

    private <T extends PGSimpleDataSource> T filled(T single, int answerSeconds) {
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

    /** Without the password. */
    @Override
    public String toString() {
        return "PostgresUrl[" + shown + "]";
    }
}
