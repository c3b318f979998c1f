package dev.semel.s3.client;

import java.net.URI;

/**
 * Where objects are, in a form that requests can be made of.
 *
 * @param endpoint scheme, host and port of the service
 * @param region the region to sign for
 * @param bucket the bucket
 * @param prefix what the names of objects begin with; empty, or ending with a slash
 * @param virtualHost whether the bucket is part of the host name; otherwise it is the first segment of the path
 */
public record Address(URI endpoint, String region, String bucket, String prefix, boolean virtualHost) {

    /** {@return the host to send to, with the port unless it is the scheme's own} */
    String host() {
        String host = virtualHost ? bucket + "." + endpoint.getHost() : endpoint.getHost();
        int port = endpoint.getPort();
        int own = "https".equalsIgnoreCase(endpoint.getScheme()) ? 443 : 80;
        return port == -1 || port == own ? host : host + ":" + port;
    }

    /** {@return the escaped path of the bucket} */
    String bucketPath() {
        return virtualHost ? "/" : "/" + bucket;
    }

    /** {@return the escaped path of an object} */
    String path(String name) {
        String key = Signer.escapedPath(prefix + name);
        return virtualHost ? "/" + key : "/" + bucket + "/" + key;
    }

    URI uri(String path, String query) {
        return URI.create(endpoint.getScheme() + "://" + host() + path + (query.isEmpty() ? "" : "?" + query));
    }

    /** Returns the address as messages show it. */
    @Override
    public String toString() {
        return "s3://" + bucket + "/" + prefix + " at " + endpoint.getScheme() + "://" + host();
    }
}
