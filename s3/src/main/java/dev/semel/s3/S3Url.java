package dev.semel.s3;

import dev.semel.s3.objects.ObjectName;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The parts of {@code s3://bucket/prefix?endpoint=…&region=…}. No message contains a part that may be a secret.
 *
 * @param bucket the bucket
 * @param prefix the prefix without a slash at its end; empty for the whole bucket
 * @param options the options by name
 */
record S3Url(String bucket, String prefix, Map<String, String> options) {

    static final String SCHEME = "s3://";

    private static final List<String> OPTIONS = List.of("endpoint", "region", "style", "profile");
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final int MAX_PREFIX = 400;
    private static final String EXAMPLE = " Write, for example, \"s3://bucket/prefix?region=eu-central-1\" or"
            + " \"s3://bucket/prefix?endpoint=http://127.0.0.1:9000\".";

    static S3Url parse(String url) {
        if (!Limits.notNull("URL of an object store", url).startsWith(SCHEME)) {
            throw new InvalidInput("The URL of an object store begins with \"s3://\"." + EXAMPLE);
        }
        int question = url.indexOf('?');
        String place = url.substring(SCHEME.length(), question < 0 ? url.length() : question);
        if (place.indexOf('@') >= 0 || place.indexOf(':') >= 0) {
            throw new InvalidInput("The URL of an object store contains no credentials, but got some, which are not"
                    + " shown. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile." + EXAMPLE);
        }
        int slash = place.indexOf('/');
        String bucket = slash < 0 ? place : place.substring(0, slash);
        if (!BUCKET.matcher(bucket).matches()) {
            throw new InvalidInput("A bucket has 3 to 63 lower-case letters, digits, dots and hyphens, but got \""
                    + Limits.shown(bucket) + "\"." + EXAMPLE);
        }
        return new S3Url(
                bucket,
                prefix(slash < 0 ? "" : place.substring(slash + 1)),
                options(question < 0 ? "" : url.substring(question + 1)));
    }

    private static String prefix(String text) {
        String prefix = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        if (prefix.length() > MAX_PREFIX) {
            throw new InvalidInput(
                    "A prefix has at most " + MAX_PREFIX + " characters, but got \"" + prefix.length() + "\".");
        }
        return ObjectName.checkPrefix(prefix);
    }

    private static Map<String, String> options(String query) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (!OPTIONS.contains(name)) {
                // Neither name nor value is shown: a secret that contains an ampersand would be cut into options.
                throw new InvalidInput("The URL of an object store has the options " + String.join(", ", OPTIONS)
                        + ", but got another, which is not shown because it may be a secret." + EXAMPLE);
            }
            String value = equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
            if (value.isBlank() || options.put(name, value) != null) {
                throw new InvalidInput(
                        "The option \"" + name + "\" of the URL of an object store has one value." + EXAMPLE);
            }
        }
        return options;
    }

    Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    /** Checks an endpoint: scheme, host and port, and nothing else. */
    static URI endpoint(String text) {
        try {
            URI uri = new URI(text);
            boolean plain = uri.getUserInfo() == null
                    && uri.getRawQuery() == null
                    && (uri.getRawPath() == null
                            || uri.getRawPath().isEmpty()
                            || uri.getRawPath().equals("/"));
            if (List.of("http", "https").contains(String.valueOf(uri.getScheme())) && uri.getHost() != null && plain) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Reported below like every other wrong form.
        }
        throw new InvalidInput(
                "An endpoint is \"https://HOST\" or \"http://HOST:PORT\", without user, path and options,"
                        + " but got something else, which is not shown because it may contain a secret." + EXAMPLE);
    }

    @Override
    public String toString() {
        return SCHEME + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }
}
