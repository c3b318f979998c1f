package dev.semel.s3.client;

import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.xml.stream.XMLStreamException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Credentials from endpoints: the token service (web identity), the container's and the instance's. */
final class RemoteCredentials {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    // An address that is not there on other machines must not delay their first request for long.
    private static final String INSTANCE_PATIENCE_SECONDS = "1";
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int OK = 200;
    private static final Set<String> CONTAINER_HOSTS =
            Set.of("169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "127.0.0.1", "localhost", "[::1]");

    private final Surroundings surroundings;
    private final String region;

    RemoteCredentials(Surroundings surroundings, String region) {
        this.surroundings = surroundings;
        this.region = region;
    }

    /** Exchanges a token in a file for credentials of a role, as pods of Kubernetes do. */
    Optional<Credentials> fromWebIdentity() {
        Optional<String> file = surroundings.variable("AWS_WEB_IDENTITY_TOKEN_FILE");
        Optional<String> role = surroundings.variable("AWS_ROLE_ARN");
        if (file.isEmpty() || role.isEmpty()) {
            return Optional.empty();
        }
        TreeMap<String, String> form = new TreeMap<>(Map.of(
                "Action", "AssumeRoleWithWebIdentity",
                "Version", "2011-06-15",
                "RoleArn", role.get(),
                "RoleSessionName",
                        surroundings.variable("AWS_ROLE_SESSION_NAME").orElse("semel"),
                "WebIdentityToken", content(file.get())));
        String body = form.entrySet().stream()
                .map(each -> each.getKey() + "=" + Signer.escaped(each.getValue()))
                .collect(Collectors.joining("&"));
        URI uri = URI.create(
                surroundings.variable("AWS_ENDPOINT_URL_STS").orElse("https://sts." + region + ".amazonaws.com/"));
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body))
                .build();
        String answer = answer("token service", request);
        try {
            Xml xml = Xml.parse(answer.getBytes(StandardCharsets.UTF_8), "");
            return Optional.of(new Credentials(
                    xml.field("AccessKeyId"),
                    xml.field("SecretAccessKey"),
                    xml.field("SessionToken"),
                    Instant.parse(xml.field("Expiration"))));
        } catch (XMLStreamException | DateTimeException e) {
            throw unreadable("token service");
        }
    }

    Optional<Credentials> fromContainer() {
        Optional<String> relative = surroundings.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
        Optional<String> full = surroundings.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
        if (relative.isEmpty() && full.isEmpty()) {
            return Optional.empty();
        }
        URI uri = relative.isPresent()
                ? URI.create("http://169.254.170.2" + relative.get())
                : URI.create(full.orElseThrow());
        if (!"https".equals(uri.getScheme()) && !CONTAINER_HOSTS.contains(uri.getHost())) {
            throw new StoreUnusable("AWS_CONTAINER_CREDENTIALS_FULL_URI names \"" + uri.getHost() + "\" without TLS,"
                    + " which is no address of a container's agent. Use https.");
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(PATIENCE);
        surroundings
                .variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
                .map(RemoteCredentials::content)
                .or(() -> surroundings.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"))
                .ifPresent(token -> request.header("authorization", token));
        return Optional.of(parsed("container's endpoint", answer("container's endpoint", request.build())));
    }

    /** Asks the instance's metadata service, version 2. Where there is none, there are no credentials. */
    Optional<Credentials> fromInstance() {
        if (surroundings
                .variable("AWS_EC2_METADATA_DISABLED")
                .map(Boolean::parseBoolean)
                .orElse(false)) {
            return Optional.empty();
        }
        String endpoint = surroundings
                .variable("AWS_EC2_METADATA_SERVICE_ENDPOINT")
                .orElse("http://169.254.169.254")
                .replaceAll("/$", "");
        Duration patience = Duration.ofSeconds(Long.parseLong(surroundings
                .variable("AWS_METADATA_SERVICE_TIMEOUT")
                .filter(RemoteCredentials::isSeconds)
                .orElse(INSTANCE_PATIENCE_SECONDS)));
        String roles = endpoint + "/latest/meta-data/iam/security-credentials/";
        try (HttpClient http = client(patience)) {
            HttpResponse<String> token = http.send(
                    HttpRequest.newBuilder(URI.create(endpoint + "/latest/api/token"))
                            .timeout(patience)
                            .header("x-aws-ec2-metadata-token-ttl-seconds", "300")
                            .PUT(BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
            if (token.statusCode() != OK) {
                return Optional.empty();
            }
            HttpResponse<String> role = http.send(instance(roles, token.body(), patience), BodyHandlers.ofString());
            if (role.statusCode() != OK) {
                return Optional.empty(); // an instance without a role
            }
            String name = role.body().lines().findFirst().orElse("").strip();
            HttpResponse<String> keys =
                    http.send(instance(roles + name, token.body(), patience), BodyHandlers.ofString());
            return keys.statusCode() == OK
                    ? Optional.of(parsed("instance's metadata service", keys.body()))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static boolean isSeconds(String text) {
        return text.matches("[1-9][0-9]{0,2}");
    }

    private static HttpRequest instance(String uri, String token, Duration patience) {
        return HttpRequest.newBuilder(URI.create(uri))
                .timeout(patience)
                .header("x-aws-ec2-metadata-token", token)
                .build();
    }

    private static HttpClient client(Duration patience) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(patience)
                .build();
    }

    private static String answer(String what, HttpRequest request) {
        try (HttpClient http = client(PATIENCE)) {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != OK) {
                // The body is not shown: it may repeat the token.
                throw new StoreUnavailable("The " + what + " answered the request for credentials with "
                        + response.statusCode() + ". Check the role, and try again.");
            }
            return response.body();
        } catch (IOException e) {
            throw new StoreUnavailable("The " + what + " did not answer the request for credentials. Try again.", e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static StoreUnavailable interrupted() {
        Thread.currentThread().interrupt();
        return new StoreUnavailable("The thread was interrupted while it waited for credentials.");
    }

    private static Credentials parsed(String what, String text) {
        try {
            JsonNode json = JSON.readTree(text);
            return new Credentials(
                    json.path("AccessKeyId").asString(),
                    json.path("SecretAccessKey").asString(),
                    json.path("Token").asString(),
                    Instant.parse(json.path("Expiration").asString()));
        } catch (JacksonException | DateTimeException e) {
            throw unreadable(what);
        }
    }

    /** Without a cause, whose message could contain the answer. */
    private static StoreUnusable unreadable(String what) {
        return new StoreUnusable("The answer of the " + what + " to the request for credentials could not be read.");
    }

    private static String content(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new StoreUnusable("The token file \"" + file + "\" could not be read. Make it readable.", e);
        }
    }
}
