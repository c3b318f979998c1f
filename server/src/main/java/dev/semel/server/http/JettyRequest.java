package dev.semel.server.http;

import dev.semel.task.InvalidInput;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/** A request as Jetty received it. */
final class JettyRequest implements Dispatcher.Received {

    private static final Pattern SAFE_ID = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");
    private static final int PIECE = 64 << 10;

    private final Request request;
    private final BodyBudget budget;
    private final Duration bodyTimeout;
    private final String id;
    private long held;

    JettyRequest(Request request, BodyBudget budget, Duration bodyTimeout) {
        this.request = request;
        this.budget = budget;
        this.bodyTimeout = bodyTimeout;
        String given = request.getHeaders().get("X-Request-Id");
        this.id = given != null && SAFE_ID.matcher(given).matches() ? given : newId();
    }

    // A name for logs and no secret, so it does not wait for the operating system's randomness.
    private static String newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        String path = request.getHttpURI().getPath();
        return path == null ? "" : path;
    }

    @Override
    public Optional<String> query() {
        return Optional.ofNullable(request.getHttpURI().getQuery());
    }

    @Override
    public Optional<String> header(String name) {
        String value = null;
        int times = 0;
        for (HttpField field : request.getHeaders()) {
            if (field.is(name)) {
                value = field.getValue();
                times++;
            }
        }
        if (times > 1) {
            throw new InvalidInput("The header " + name + " is sent once, but got it " + times + " times.");
        }
        return Optional.ofNullable(value);
    }

    @Override
    public byte[] body(int maxBytes) {
        long declared = request.getLength();
        if (declared > maxBytes) {
            throw tooLarge(maxBytes);
        }
        // As long as it says, up to a piece: a length that is only claimed must not take memory.
        byte[] body = new byte[Math.clamp(declared, 0, PIECE)];
        int size = 0;
        long begin = System.nanoTime();
        boolean whole = false;
        try {
            while (!whole) {
                Content.Chunk chunk = next(begin, size);
                try {
                    int more = admitted(chunk, size, maxBytes);
                    if (more > body.length - size) {
                        body = Arrays.copyOf(body, Math.max(size + more, (int) Math.min(2L * body.length, maxBytes)));
                    }
                    chunk.get(body, size, more);
                    size += more;
                    whole = chunk.isLast();
                } finally {
                    chunk.release();
                }
            }
        } finally {
            if (!whole) {
                request.fail(new IOException("The rest of the body is not read"));
            }
        }
        return size == body.length ? body : Arrays.copyOf(body, size);
    }

    /** Returns how many bytes a chunk has, after it was checked that there is room for them. */
    private int admitted(Content.Chunk chunk, int size, int maxBytes) {
        if (Content.Chunk.isFailure(chunk)) {
            // Cut off: nobody reads the answer.
            throw tooSlow();
        }
        int more = chunk.remaining();
        if (more > maxBytes - size) {
            throw tooLarge(maxBytes);
        }
        budget.take(more);
        held += more;
        return more;
    }

    /**
     * Waits for the next chunk of the body, and not for longer than the body may take, whether it drips or is silent. The thread that
     * reads is the one that gives up: Jetty reads what is left when a request is failed, and two threads must not read from one
     * connection.
     */
    private Content.Chunk next(long begin, int received) {
        long most = bodyTimeout.toNanos() * (1 + received / PIECE);
        Semaphore available = new Semaphore(0);
        Content.Chunk chunk = request.read();
        while (chunk == null) {
            request.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, available::release));
            try {
                if (!available.tryAcquire(most - (System.nanoTime() - begin), TimeUnit.NANOSECONDS)) {
                    throw tooSlow();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw tooSlow();
            }
            chunk = request.read();
        }
        return chunk;
    }

    private static Problem tooLarge(int maxBytes) {
        return new Problem(
                        413, "too-large", "The body of this request has at most " + maxBytes + " bytes, but got more.")
                .withRaw("max_bytes", Integer.toString(maxBytes))
                .header("Connection", "close");
    }

    private static Problem tooSlow() {
        return new Problem(
                        408,
                        "too-slow",
                        "The body did not arrive in time, or was cut off. Send the same request again.")
                .header("Connection", "close");
    }

    void release() {
        budget.giveBack(held);
        held = 0;
    }
}
