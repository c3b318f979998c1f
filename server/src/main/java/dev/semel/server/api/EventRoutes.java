package dev.semel.server.api;

import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.store.StoreListener;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Events as they happen, as server-sent events: {@code ended} for each task that has ended. An event is a hint, as everywhere: a client
 * that reads too slowly gets {@code lost} and has to look for itself.
 */
final class EventRoutes {

    private static final int MOST_STREAMS = 1_000;
    private static final int MOST_PENDING = 10_000;
    private static final int BATCH = 500;
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final Backend backend;
    private final AtomicInteger streams = new AtomicInteger();

    EventRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(Route.of("GET", "/v1/events", this::events, TokenScope.READ));
    }

    private Reply events(Request request) {
        request.allowQueries();
        if (streams.get() >= MOST_STREAMS) {
            throw new Problem(429, "too-busy", "The server sends events to " + MOST_STREAMS + " clients already.")
                    .header("Retry-After", "10");
        }
        TaskStore store = backend.store(request);
        return Reply.stream("text/event-stream", out -> stream(store, out));
    }

    private void stream(TaskStore store, OutputStream out) throws IOException {
        BlockingQueue<TaskId> ended = new LinkedBlockingQueue<>(MOST_PENDING);
        AtomicBoolean lost = new AtomicBoolean();
        StoreListener listener = new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {}

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                ids.forEach(id -> {
                    if (!ended.offer(id)) {
                        lost.set(true);
                    }
                });
            }
        };
        streams.incrementAndGet();
        try (TaskStore.Registration registration = store.listen(listener)) {
            write(out, ": connected\n\n");
            backend.polls().interruptibly(() -> {
                try {
                    while (!Thread.currentThread().isInterrupted()) {
                        send(store, out, ended, lost);
                    }
                } catch (IOException | InterruptedException e) {
                    // The client has gone, or the server shuts down.
                }
                return registration;
            });
        } finally {
            streams.decrementAndGet();
        }
    }

    private static void send(TaskStore store, OutputStream out, BlockingQueue<TaskId> ended, AtomicBoolean lost)
            throws IOException, InterruptedException {
        TaskId first = ended.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
        if (first == null) {
            write(out, ": still here\n\n");
            return;
        }
        List<TaskId> ids = new ArrayList<>(List.of(first));
        ended.drainTo(ids, BATCH - 1);
        StringBuilder text = new StringBuilder();
        for (Task task : store.find(ids).values()) {
            if (!task.state().isOpen()) {
                text.append("event: ended\ndata: ")
                        .append(TaskJson.summary(task)
                                .toString()
                                .replace('\n', ' ')
                                .replace('\r', ' '))
                        .append("\n\n");
            }
        }
        if (lost.getAndSet(false)) {
            text.append("event: lost\ndata: {}\n\n");
        }
        if (!text.isEmpty()) {
            write(out, text.toString());
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
