package dev.semel.s3.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.client.Signer.Unsigned;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The examples of signatures that the documentation of Amazon S3 has, with its published keys. */
class SignerTest {

    private static final String HOST = "examplebucket.s3.amazonaws.com";
    private static final Instant TIME = Instant.parse("2013-05-24T00:00:00Z");
    private static final Credentials KEYS =
            new Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", null, null);

    private final Signer signer = new Signer("us-east-1", "s3");

    private static Unsigned request(
            String method, String path, Map<String, String> query, Map<String, String> headers, String body) {
        return new Unsigned(
                method,
                HOST,
                path,
                new TreeMap<>(query),
                new TreeMap<>(headers),
                Signer.sha256(body.getBytes(StandardCharsets.UTF_8)));
    }

    private String signature(Unsigned request) {
        String header = signer.sign(request, KEYS, TIME).get("authorization");
        return header.substring(header.indexOf("Signature=") + "Signature=".length());
    }

    @Test
    void aGetWithARangeIsSignedAsInTheDocumentation() {
        Map<String, String> headers =
                signer.sign(request("GET", "/test.txt", Map.of(), Map.of("range", "bytes=0-9"), ""), KEYS, TIME);
        assertThat(headers.get("authorization"))
                .isEqualTo("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        assertThat(headers).doesNotContainKey("host").containsEntry("x-amz-date", "20130524T000000Z");
    }

    @Test
    void aPutWithAnEscapedNameIsSignedAsInTheDocumentation() {
        Map<String, String> headers =
                Map.of("date", "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class", "REDUCED_REDUNDANCY");
        String path = "/" + Signer.escapedPath("test$file.text");
        assertThat(signature(request("PUT", path, Map.of(), headers, "Welcome to Amazon S3.")))
                .isEqualTo("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    }

    @Test
    void queriesAreSignedAsInTheDocumentation() {
        assertThat(signature(request("GET", "/", Map.of("lifecycle", ""), Map.of(), "")))
                .isEqualTo("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        assertThat(signature(request("GET", "/", Map.of("max-keys", "2", "prefix", "J"), Map.of(), "")))
                .isEqualTo("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    @Test
    void aSessionTokenIsSent() {
        Credentials temporary = new Credentials(KEYS.accessKey(), KEYS.secretKey(), "token", null);
        Map<String, String> headers = signer.sign(request("GET", "/a", Map.of(), Map.of(), ""), temporary, TIME);
        assertThat(headers).containsEntry("x-amz-security-token", "token");
        assertThat(headers.get("authorization")).contains(";x-amz-security-token,");
    }

    @Test
    void everythingButUnreservedCharactersIsEscaped() {
        assertThat(Signer.escaped("aZ09-._~ /=+é&?")).isEqualTo("aZ09-._~%20%2F%3D%2B%C3%A9%26%3F");
        assertThat(Signer.escapedPath("a/b=c")).isEqualTo("a/b%3Dc");
    }
}
