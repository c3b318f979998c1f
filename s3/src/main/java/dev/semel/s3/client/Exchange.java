package dev.semel.s3.client;

import dev.semel.s3.client.Signer.Unsigned;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.RequestFailed;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.xml.stream.XMLStreamException;

/**
 * Sends signed requests, each once, and sorts the answers: those that say something about the request, those after which its
 * outcome is not known ({@link RequestFailed}), and those after which no request can succeed ({@link StoreUnusable}).
 */
final class Exchange {

    private static final int REDIRECTED = 300;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int TIMED_OUT = 408;
    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int TEMPORARY_REDIRECT = 307;
    // Refused before anything was done; the next send is signed anew.
    private static final Set<String> SIGN_AGAIN = Set.of("ExpiredToken", "RequestTimeTooSkewed", "RequestExpired");
    private static final Set<String> PASSING = Set.of("RequestTimeout", "SlowDown", "Throttling", "InternalError");

    private final Address address;
    private final CredentialSource credentials;
    private final Duration timeout;
    private final InstantSource clock;
    private final Signer signer;
    private final HttpClient http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile Duration clockOffset = Duration.ZERO;

    Exchange(Address address, CredentialSource credentials, Duration timeout, InstantSource clock) {
        this.address = address;
        this.credentials = credentials;
        this.timeout = timeout;
        this.clock = clock;
        this.signer = new Signer(address.region(), "s3");
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1) // what S3 speaks, and no upgrade headers that are not signed
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout)
                .build();
    }

    Answer send(
            String method, String path, SortedMap<String, String> query, SortedMap<String, String> headers, byte[] body)
            throws RequestFailed {
        Unsigned request = new Unsigned(
                method, address.host(), path, query, headers, body.length == 0 ? Signer.NO_BODY : Signer.sha256(body));
        Instant now = clock.instant().plus(clockOffset);
        Map<String, String> signed = signer.sign(request, credentials.credentials(), now);
        HttpRequest.Builder builder = HttpRequest.newBuilder(address.uri(path, request.canonicalQuery()))
                .timeout(timeout)
                .method(
                        method,
                        body.length == 0 && !method.equals("PUT")
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofByteArray(body));
        signed.forEach(builder::header);
        return sorted(method, await(method, builder.build()));
    }

    /**
     * Waits for the whole answer, on a thread of its own: the client's own limit ends with the headers, and its asynchronous
     * answers pass through the common pool, which a program may have filled with work of its own.
     */
    private HttpResponse<byte[]> await(String method, HttpRequest request) throws RequestFailed {
        Future<HttpResponse<byte[]>> future;
        try {
            future = threads.submit(() -> http.send(request, Exchange::bounded));
        } catch (RejectedExecutionException e) {
            throw new RequestFailed("The client was closed before a " + method + " was sent.", e);
        }
        try {
            return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            future.cancel(true);
            throw new RequestFailed("No answer to a " + method + " within " + timeout.toMillis() + " ms.", e);
        } catch (InterruptedException e) {
            future.cancel(true);
            throw new RequestFailed("The thread that waited for the answer to a " + method + " was interrupted.", e);
        } catch (ExecutionException e) {
            throw new RequestFailed("No answer to a " + method + " from " + address + ".", e.getCause());
        }
    }

    private static HttpResponse.BodySubscriber<byte[]> bounded(HttpResponse.ResponseInfo info) {
        long length = info.headers().firstValueAsLong("content-length").orElse(0);
        if (length > ObjectStore.MAX_BYTES) {
            return HttpResponse.BodySubscribers.mapping(
                    HttpResponse.BodySubscribers.replacing(new byte[0]), nothing -> {
                        throw new IllegalStateException("An object has more than " + ObjectStore.MAX_BYTES + " bytes.");
                    });
        }
        return BodyHandlers.ofByteArray().apply(info);
    }

    private Answer sorted(String method, HttpResponse<byte[]> response) throws RequestFailed {
        int status = response.statusCode();
        if (status < REDIRECTED) {
            return new Answer(method, status, response.headers(), response.body(), "");
        }
        String code = code(response.body());
        Answer answer = new Answer(method, status, response.headers(), response.body(), code);
        if (SIGN_AGAIN.contains(code)) {
            credentials.discard();
            learnOffset(response);
            throw answer.unexpected();
        }
        boolean passing = status == TIMED_OUT
                || status == TOO_MANY
                || status == TEMPORARY_REDIRECT
                || (status >= SERVER_ERROR && status != NOT_IMPLEMENTED)
                || PASSING.contains(code);
        if (passing) {
            throw answer.unexpected();
        }
        if (status == NOT_IMPLEMENTED) {
            throw new StoreUnusable("The service at " + address + " answered a " + method
                    + " with 501: it cannot create an object only if it is absent. Use another service.");
        }
        if (status == FORBIDDEN) {
            throw new StoreUnusable("The service at " + address + " refused a " + method + " (" + shown(code)
                    + "). Use credentials that may get, put, list and delete objects below the prefix.");
        }
        if ((status == NOT_FOUND && code.equals("NoSuchBucket")) || status == BAD_REQUEST || status < BAD_REQUEST) {
            throw new StoreUnusable("The service at " + address + " answered a " + method + " with " + status + " ("
                    + shown(code) + "). Check bucket, region (\"" + address.region() + "\") and endpoint.");
        }
        return answer;
    }

    private static String shown(String code) {
        return code.isEmpty() ? "no error code" : Limits.shown(code);
    }

    private static String code(byte[] body) {
        if (body.length == 0
                || !new String(body, StandardCharsets.UTF_8).stripLeading().startsWith("<")) {
            return "";
        }
        try {
            return Xml.parse(body, "").field("Code");
        } catch (XMLStreamException e) {
            return ""; // the page of some proxy; the status says enough
        }
    }

    /** Signs with the service's time from now on, because that of this machine is off. */
    private void learnOffset(HttpResponse<byte[]> response) {
        response.headers().firstValue("date").ifPresent(date -> {
            try {
                Instant theirs = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
                Duration offset = Duration.between(clock.instant(), theirs);
                clockOffset = offset.abs().compareTo(Duration.ofMinutes(1)) > 0 ? offset : Duration.ZERO;
            } catch (DateTimeException e) {
                // A header that is no time tells nothing.
            }
        });
    }

    void close() {
        threads.shutdownNow();
        http.shutdownNow();
    }
}
