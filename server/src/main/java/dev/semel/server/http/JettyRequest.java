package dev.semel.server.http;

import dev.semel.task.InvalidInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

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
        this.id = given != null && SAFE_ID.matcher(given).matches()
                ? given
                : UUID.randomUUID().toString();
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
        List<String> values = request.getHeaders().getValuesList(name);
        if (values.size() > 1) {
            throw new InvalidInput("The header " + name + " is sent once, but got it " + values.size() + " times.");
        }
        return values.stream().findFirst();
    }

    @Override
    public byte[] body(int maxBytes) {
        long declared = request.getLength();
        if (declared > maxBytes) {
            throw tooLarge(maxBytes);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.clamp(declared, 1_024, PIECE));
        byte[] piece = new byte[8 << 10];
        BodyWatch watch = new BodyWatch();
        try (InputStream in = Content.Source.asInputStream(request)) {
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                if (body.size() + read > maxBytes) {
                    throw tooLarge(maxBytes);
                }
                budget.take(read);
                held += read;
                body.write(piece, 0, read);
                watch.received = body.size();
            }
        } catch (IOException e) {
            // Cut off, or too slow: nobody reads the answer, or it is the last one.
            throw tooSlow();
        } finally {
            watch.close();
        }
        return body.toByteArray();
    }

    /** Fails the request when its body takes too long, whether it drips or is silent. */
    private final class BodyWatch implements AutoCloseable {

        private final Scheduler scheduler = request.getComponents().getScheduler();
        private final long begin = System.nanoTime();
        private volatile long received;
        private volatile boolean closed;
        private volatile Scheduler.@Nullable Task next;

        BodyWatch() {
            look();
        }

        private void look() {
            long left = bodyTimeout.toNanos() * (1 + received / PIECE) - (System.nanoTime() - begin);
            if (closed) {
                return;
            }
            if (left <= 0) {
                request.fail(new TimeoutException("The body did not arrive in time"));
            } else {
                next = scheduler.schedule(this::look, left / 1_000_000 + 1, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void close() {
            closed = true;
            Scheduler.Task task = next;
            if (task != null) {
                task.cancel();
            }
        }
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
