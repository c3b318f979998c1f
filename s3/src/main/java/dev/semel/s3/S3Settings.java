package dev.semel.s3;

import dev.semel.s3.client.Address;
import dev.semel.s3.client.CredentialChain;
import dev.semel.s3.client.HttpObjects;
import dev.semel.s3.client.ProfileFiles;
import dev.semel.s3.client.Surroundings;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a store on object storage is, and how it behaves. Made of a URL: {@code s3://bucket/prefix?endpoint=…&region=…}.
 *
 * <p>The options of the URL are {@code endpoint} (of a service other than Amazon's), {@code region}, {@code style}
 * ({@code path} or {@code virtual}; by default virtual on Amazon and path elsewhere) and {@code profile}. What it leaves open
 * is read from the environment, as the tools of AWS do. Credentials are never part of it.
 */
public final class S3Settings {

    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9-]{1,40}");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final S3Url url;
    private final Surroundings surroundings;
    private final RetrySettings retries;
    private final Duration timeout;

    private S3Settings(S3Url url, Surroundings surroundings, RetrySettings retries, Duration timeout) {
        this.url = url;
        this.surroundings = surroundings;
        this.retries = retries;
        this.timeout = timeout;
    }

    /**
     * Parses a URL, with what it leaves open from this process's environment. Nothing is sent or read.
     *
     * @param url for example {@code s3://bucket/prefix?region=eu-central-1}
     * @return the settings
     * @throws InvalidInput if it is no such URL; the message contains no secrets
     */
    public static S3Settings of(String url) {
        Surroundings here =
                new Surroundings(System.getenv(), Path.of(System.getProperty("user.home", "")), InstantSource.system());
        return of(url, here);
    }

    /**
     * Returns the URL of a prefix below that of another URL, with the same options: another store in the same bucket.
     *
     * @param url for example {@code s3://bucket/prefix?region=eu-central-1}
     * @param name the name of the prefix below it
     * @return for example {@code s3://bucket/prefix/name?region=eu-central-1}
     * @throws InvalidInput if one of them is no such URL
     */
    public static String below(String url, String name) {
        String whole = Limits.notNull("URL", url);
        String last = Limits.notNull("name", name);
        int options = whole.indexOf('?') < 0 ? whole.length() : whole.indexOf('?');
        String place = whole.substring(0, options);
        String below = place + (place.endsWith("/") ? "" : "/") + last + whole.substring(options);
        S3Url unused = S3Url.parse(below); // reports what is wrong
        return below;
    }

    static S3Settings of(String url, Surroundings surroundings) {
        S3Url parsed = S3Url.parse(url);
        parsed.option("endpoint").ifPresent(S3Url::endpoint);
        parsed.option("region").ifPresent(S3Settings::checkRegion);
        parsed.option("style").ifPresent(S3Settings::isVirtual);
        return new S3Settings(parsed, surroundings, RetrySettings.standard(), TIMEOUT);
    }

    /**
     * Sets the clock that signs requests and measures leases.
     *
     * @param clock the clock
     * @return new settings
     */
    public S3Settings withClock(InstantSource clock) {
        Surroundings changed =
                new Surroundings(surroundings.environment(), surroundings.home(), Limits.notNull("clock", clock));
        return new S3Settings(url, changed, retries, timeout);
    }

    /**
     * Sets how long one request may take.
     *
     * @param changed the time, up to five minutes
     * @return new settings
     */
    public S3Settings withTimeout(Duration changed) {
        if (Limits.positive("timeout", changed).compareTo(Duration.ofMinutes(5)) > 0) {
            throw new InvalidInput("The timeout of a request is at most 5 minutes, but got \"" + changed + "\".");
        }
        return new S3Settings(url, surroundings, retries, changed);
    }

    /**
     * Sets how long and how often requests without a usable answer are repeated.
     *
     * @param changed the settings of retries
     * @return new settings
     */
    public S3Settings withRetries(RetrySettings changed) {
        return new S3Settings(url, surroundings, Limits.notNull("retry settings", changed), timeout);
    }

    /** {@return the clock} */
    public InstantSource clock() {
        return surroundings.clock();
    }

    /** {@return how long and how often requests are repeated} */
    public RetrySettings retries() {
        return retries;
    }

    /**
     * Creates the service below the prefix: one request for each call. Nothing is sent.
     *
     * @return the service; close it when done
     * @throws InvalidInput if no region is known
     */
    public ObjectService service() {
        Address address = address();
        CredentialChain credentials =
                new CredentialChain(surroundings, url.option("profile").orElse(null), address.region());
        return new HttpObjects(address, credentials, timeout, surroundings.clock());
    }

    /**
     * Creates the object store below the prefix. Nothing is sent.
     *
     * @return the store; close it when done
     * @throws InvalidInput if no region is known
     */
    public ObjectStore objects() {
        return RetryingObjectStore.on(service(), retries);
    }

    private Address address() {
        ProfileFiles profile =
                ProfileFiles.read(surroundings, url.option("profile").orElse(null));
        Optional<URI> named = url.option("endpoint")
                .or(() -> surroundings.variable("AWS_ENDPOINT_URL_S3"))
                .or(() -> surroundings.variable("AWS_ENDPOINT_URL"))
                .or(() -> profile.property("endpoint_url"))
                .map(S3Url::endpoint);
        String region = url.option("region")
                .or(() -> surroundings.variable("AWS_REGION"))
                .or(() -> surroundings.variable("AWS_DEFAULT_REGION"))
                .or(() -> profile.property("region"))
                .or(() -> named.map(endpoint -> "us-east-1"))
                .map(S3Settings::checkRegion)
                .orElseThrow(() -> new InvalidInput("The region of \"" + url
                        + "\" is not known. Add \"?region=…\" to the" + " URL, or set AWS_REGION."));
        URI endpoint = named.orElseGet(() -> URI.create("https://s3." + region + ".amazonaws.com"));
        // A bucket with a dot fits no certificate of "*.s3.….amazonaws.com".
        boolean virtual = url.option("style")
                .map(S3Settings::isVirtual)
                .orElse(named.isEmpty() && url.bucket().indexOf('.') < 0);
        return new Address(endpoint, region, url.bucket(), url.prefix().isEmpty() ? "" : url.prefix() + "/", virtual);
    }

    private static String checkRegion(String region) {
        if (!REGION.matcher(region).matches()) {
            throw new InvalidInput(
                    "A region has letters, digits and hyphens, but got \"" + Limits.shown(region) + "\".");
        }
        return region;
    }

    private static boolean isVirtual(String style) {
        return switch (style) {
            case "virtual" -> true;
            case "path" -> false;
            default ->
                throw new InvalidInput(
                        "The option \"style\" is \"path\" or \"virtual\", but got \"" + Limits.shown(style) + "\".");
        };
    }

    /**
     * Returns a lifecycle policy for the bucket, as the tools of AWS take it. Its only rule deletes what interrupted trials of the
     * service have left: those are the only objects that can never be needed again whatever their age. No rule may match the others.
     *
     * @return JSON
     */
    public String lifecyclePolicy() {
        String place = url.prefix().isEmpty() ? "" : url.prefix() + "/";
        return """
            {
              "Rules": [
                {
                  "ID": "semel-trials",
                  "Status": "Enabled",
                  "Filter": { "Prefix": "%ssemel/probe/" },
                  "Expiration": { "Days": 1 }
                }
              ]
            }
            """.formatted(place);
    }

    /** Returns bucket and prefix. */
    @Override
    public String toString() {
        return url.toString();
    }
}
