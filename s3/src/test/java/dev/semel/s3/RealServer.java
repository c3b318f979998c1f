package dev.semel.s3;

import dev.semel.s3.client.Surroundings;
import dev.semel.testservers.S3Server;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;

/** Settings for a server of the tests. */
public final class RealServer {

    private RealServer() {}

    /** {@return settings of a fresh prefix on the server} */
    public static S3Settings settings(S3Server server) {
        return settings(server, "test-" + UUID.randomUUID());
    }

    /** {@return settings of a prefix on the server} */
    public static S3Settings settings(S3Server server, String prefix) {
        return settings(server.endpoint(), prefix);
    }

    /** {@return settings of a prefix on the server with an endpoint, which another process has started} */
    public static S3Settings settings(URI endpoint, String prefix) {
        return settings(S3Server.BUCKET + "/" + prefix, endpoint, S3Server.SECRET_KEY);
    }

    /** {@return settings with a secret that the server refuses} */
    public static S3Settings wrongSecret(S3Server server) {
        return settings(S3Server.BUCKET + "/a", server.endpoint(), "wrong-secret");
    }

    /** {@return settings of a bucket that does not exist} */
    public static S3Settings wrongBucket(S3Server server) {
        return settings("no-such-bucket/a", server.endpoint(), S3Server.SECRET_KEY);
    }

    /** {@return settings of a server that is not there} */
    public static S3Settings nobody() {
        return settings("bucket/a", URI.create("http://127.0.0.1:1"), S3Server.SECRET_KEY);
    }

    private static S3Settings settings(String place, URI endpoint, String secret) {
        Map<String, String> environment =
                Map.of("AWS_ACCESS_KEY_ID", S3Server.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", secret);
        return S3Settings.of(
                "s3://" + place + "?endpoint=" + endpoint,
                new Surroundings(environment, Path.of("no-home"), InstantSource.system()));
    }
}
