package dev.semel.client;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an {@link HttpTaskStore}.
 *
 * @param server where the server is: a URL with {@code http} or {@code https}, possibly with a path that precedes all others
 * @param token the token that the server knows this client by; null if the server needs none
 * @param connectTimeout how long to wait for a connection
 * @param requestTimeout how long to wait for an answer
 * @param connections how many requests may be under way at once
 */
public record HttpSettings(
        URI server, @Nullable String token, Duration connectTimeout, Duration requestTimeout, int connections) {

    /** The maximum length of a token in characters. */
    public static final int TOKEN_LENGTH = 500;

    /** The maximum number of requests under way at once. */
    public static final int MOST_CONNECTIONS = 1_000;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);
    private static final int CONNECTIONS = 64;

    /** Validates the settings. */
    public HttpSettings {
        checkUrl(Limits.notNull("URL of the server", server));
        if (token != null
                && (token.isEmpty()
                        || token.length() > TOKEN_LENGTH
                        || token.chars().anyMatch(c -> c <= ' ' || c > '~'))) {
            // Without the token: messages are logged.
            throw new InvalidInput("A token has 1 to " + TOKEN_LENGTH
                    + " printable ASCII characters without spaces, but got " + token.length()
                    + " characters of which at least one is something else. Use the token that \"semel token create\""
                    + " printed.");
        }
        Limits.positive("connect timeout", connectTimeout);
        Limits.positive("request timeout", requestTimeout);
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new InvalidInput(
                    "The number of connections is 1 to " + MOST_CONNECTIONS + ", but got \"" + connections + "\".");
        }
    }

    /**
     * Returns the standard settings for a server: 5 s for a connection, 30 s for an answer, 64 requests at once.
     *
     * @param url where the server is
     * @return the settings
     */
    public static HttpSettings of(String url) {
        try {
            return new HttpSettings(
                    new URI(Limits.notNull("URL of the server", url)),
                    null,
                    CONNECT_TIMEOUT,
                    REQUEST_TIMEOUT,
                    CONNECTIONS);
        } catch (URISyntaxException e) {
            throw wrongUrl();
        }
    }

    private static void checkUrl(URI url) {
        String scheme = url.getScheme();
        boolean isHttp = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        if (!isHttp
                || url.getHost() == null
                || url.getRawUserInfo() != null
                || url.getRawQuery() != null
                || url.getRawFragment() != null) {
            throw wrongUrl();
        }
    }

    // Without the URL: it may have a password in it.
    private static InvalidInput wrongUrl() {
        return new InvalidInput("The URL of a server has the form http://HOST:PORT or https://HOST:PORT, without user,"
                + " query and fragment, but got something else. A token is given apart from the URL.");
    }

    /**
     * Returns these settings with a token.
     *
     * @param newToken the token, or null for none
     * @return new settings
     */
    public HttpSettings withToken(@Nullable String newToken) {
        return new HttpSettings(server, newToken, connectTimeout, requestTimeout, connections);
    }

    /**
     * Returns these settings with another time to wait for a connection.
     *
     * @param timeout how long
     * @return new settings
     */
    public HttpSettings withConnectTimeout(Duration timeout) {
        return new HttpSettings(server, token, timeout, requestTimeout, connections);
    }

    /**
     * Returns these settings with another time to wait for an answer.
     *
     * @param timeout how long
     * @return new settings
     */
    public HttpSettings withRequestTimeout(Duration timeout) {
        return new HttpSettings(server, token, connectTimeout, timeout, connections);
    }

    /**
     * Returns these settings with another number of requests at once.
     *
     * @param most how many
     * @return new settings
     */
    public HttpSettings withConnections(int most) {
        return new HttpSettings(server, token, connectTimeout, requestTimeout, most);
    }

    /** Returns the settings without the token. */
    @Override
    public String toString() {
        return "HttpSettings[server=" + server + ", token=" + (token == null ? "none" : "…") + ", connectTimeout="
                + connectTimeout + ", requestTimeout=" + requestTimeout + ", connections=" + connections + "]";
    }
}
