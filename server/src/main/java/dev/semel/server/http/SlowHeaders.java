package dev.semel.server.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections whose next request takes too long to send its headers. Jetty's own timeout begins again with every byte, so that
 * one byte every 20 seconds would keep a connection open for days. It looks at all connections about once a second.
 */
final class SlowHeaders extends AbstractLifeCycle implements Connection.Listener {

    private final Scheduler scheduler;
    private final long limit;
    private final long interval;
    private final Map<Connection, Progress> connections = new ConcurrentHashMap<>();
    private volatile Scheduler.@Nullable Task next;

    SlowHeaders(Scheduler scheduler, Duration limit) {
        this.scheduler = scheduler;
        this.limit = limit.toNanos();
        this.interval = Math.clamp(limit.toMillis() / 4, 10, 1_000);
    }

    /** What was seen of a connection between two requests: how many bytes it had received by then, and when more arrived. */
    private record Progress(long requests, long bytes, long since) {

        static final long NOT_YET = Long.MIN_VALUE;
    }

    @Override
    public void onOpened(Connection connection) {
        connections.put(connection, new Progress(0, 0, Progress.NOT_YET));
    }

    @Override
    public void onClosed(Connection connection) {
        connections.remove(connection);
    }

    @Override
    protected void doStart() {
        next = scheduler.schedule(this::look, interval, TimeUnit.MILLISECONDS);
    }

    @Override
    protected void doStop() {
        Scheduler.Task task = next;
        if (task != null) {
            task.cancel();
        }
    }

    private void look() {
        long now = System.nanoTime();
        connections.forEach((connection, before) -> look(connection, before, now));
        next = scheduler.schedule(this::look, interval, TimeUnit.MILLISECONDS);
    }

    private void look(Connection connection, Progress before, long now) {
        long requests = connection.getMessagesIn();
        long bytes = connection.getBytesIn();
        if (requests != connection.getMessagesOut() || requests != before.requests()) {
            connections.replace(connection, before, new Progress(requests, bytes, Progress.NOT_YET));
        } else if (bytes > before.bytes() && before.since() == Progress.NOT_YET) {
            connections.replace(connection, before, new Progress(requests, before.bytes(), now));
        } else if (before.since() != Progress.NOT_YET && now - before.since() > limit) {
            // Not connection.close(): it would read what is left of the request, beside the thread that parses it.
            connection.getEndPoint().close();
        }
    }
}
