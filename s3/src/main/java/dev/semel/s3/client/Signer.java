package dev.semel.s3.client;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests with AWS Signature Version 4, with the hash of the whole body. Pure functions: the time is passed in.
 */
final class Signer {

    /** The hash of an empty body. */
    static final String NO_BODY = sha256(new byte[0]);

    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int DAY_LENGTH = 8;

    private final String region;
    private final String service;

    Signer(String region, String service) {
        this.region = region;
        this.service = service;
    }

    /**
     * Signs a request.
     *
     * @param request the request without headers of the signature
     * @param credentials with which to sign
     * @param now the time of the signature; services refuse one that is 15 minutes off
     * @return all headers to send, without {@code host}, which the HTTP client sets
     */
    Map<String, String> sign(Unsigned request, Credentials credentials, Instant now) {
        String time = TIME.format(now);
        SortedMap<String, String> headers = new TreeMap<>(request.headers());
        headers.put("host", request.host());
        headers.put("x-amz-content-sha256", request.bodyHash());
        headers.put("x-amz-date", time);
        String token = credentials.sessionToken();
        if (token != null) {
            headers.put("x-amz-security-token", token);
        }
        String names = String.join(";", headers.keySet());
        String canonical = request.method() + "\n" + request.path() + "\n" + request.canonicalQuery() + "\n"
                + headers.entrySet().stream()
                        .map(header -> header.getKey() + ":" + header.getValue().strip() + "\n")
                        .collect(Collectors.joining())
                + "\n" + names + "\n" + request.bodyHash();
        String day = time.substring(0, DAY_LENGTH);
        String scope = day + "/" + region + "/" + service + "/aws4_request";
        String toSign = ALGORITHM + "\n" + time + "\n" + scope + "\n" + sha256(utf8(canonical));
        byte[] key = hmac(utf8("AWS4" + credentials.secretKey()), day);
        for (String part : new String[] {region, service, "aws4_request"}) {
            key = hmac(key, part);
        }
        headers.remove("host");
        headers.put(
                "authorization",
                ALGORITHM + " Credential=" + credentials.accessKey() + "/" + scope + ",SignedHeaders=" + names
                        + ",Signature=" + HexFormat.of().formatHex(hmac(key, toSign)));
        return headers;
    }

    /** Escapes all but the characters that RFC 3986 calls unreserved, and slashes. */
    static String escapedPath(String text) {
        return escaped(text, true);
    }

    /** Escapes all but the characters that RFC 3986 calls unreserved. */
    static String escaped(String text) {
        return escaped(text, false);
    }

    private static String escaped(String text, boolean keepSlash) {
        StringBuilder escaped = new StringBuilder();
        for (byte each : utf8(text)) {
            char c = (char) (each & 0xff);
            boolean unreserved = (c >= 'A' && c <= 'Z')
                    || (c >= 'a' && c <= 'z')
                    || (c >= '0' && c <= '9')
                    || "-._~".indexOf(c) >= 0
                    || (keepSlash && c == '/');
            if (unreserved) {
                escaped.append(c);
            } else {
                escaped.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
            }
        }
        return escaped.toString();
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(utf8(text));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("Every Java runtime has HmacSHA256", e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A request before it is signed.
     *
     * @param method the HTTP method
     * @param host the host, with the port unless it is the scheme's own
     * @param path the escaped path
     * @param query the parameters, not escaped
     * @param headers the headers to send, with lower-case names
     * @param bodyHash the SHA-256 of the body
     */
    record Unsigned(
            String method,
            String host,
            String path,
            SortedMap<String, String> query,
            SortedMap<String, String> headers,
            String bodyHash) {

        /** {@return the query as it is signed and sent} */
        String canonicalQuery() {
            return query.entrySet().stream()
                    .map(each -> escaped(each.getKey()) + "=" + escaped(each.getValue()))
                    .collect(Collectors.joining("&"));
        }
    }
}
