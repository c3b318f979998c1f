package dev.semel.client;

import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore.Registration;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnusable;
import dev.semel.wire.Hint;
import dev.semel.wire.Protocol;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stream of hints of a server: one connection for all listeners, while there are any, and no thread that waits for it.
 *
 * <p>Hints are lost while there is no connection. So a new connection begins with a hint that names nothing: listeners look at the
 * store, as if everything might have changed.
 */
final class HintStream implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(HintStream.class);

    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);
    // How long a new listener waits for the first connection, so that it misses nothing from then on.
    private static final Duration LONGEST_GREETING = Duration.ofSeconds(2);
    // Three times as long as a server is silent at the most.
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(45);

    private final Exchange exchange;
    private final List<Registered> listeners = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private @Nullable Connection connection;
    private Duration delay = FIRST_DELAY;
    // Whether there was a connection before, so that hints may have been lost.
    private boolean interrupted;
    private boolean closed;

    HintStream(Exchange exchange) {
        this.exchange = exchange;
    }

    Registration listen(StoreListener listener) {
        Registered registered = new Registered(listener);
        Connection current;
        synchronized (lock) {
            if (closed) {
                throw StoreUnusable.closed("The store at " + exchange.server());
            }
            listeners.add(registered);
            current = connection == null ? connect() : connection;
        }
        current.awaitGreeting();
        return registered;
    }

    private Connection connect() {
        Connection begun = new Connection(interrupted);
        connection = begun;
        begun.open();
        return begun;
    }

    private void reconnect() {
        synchronized (lock) {
            if (!closed && connection == null && !listeners.isEmpty()) {
                connect();
            }
        }
    }

    private void ended(Connection former, @Nullable Throwable cause) {
        synchronized (lock) {
            if (connection != former) {
                return;
            }
            connection = null;
            interrupted = true;
            if (closed || listeners.isEmpty()) {
                return;
            }
            LOG.debug("Stream of hints ended, will be opened again: server={} error={}", exchange.server(), cause);
            after(delay, this::reconnect);
            delay = delay.multipliedBy(2).compareTo(LONGEST_DELAY) < 0 ? delay.multipliedBy(2) : LONGEST_DELAY;
        }
    }

    private void greeted() {
        synchronized (lock) {
            delay = FIRST_DELAY;
        }
    }

    private void removed(Registered registered) {
        Connection needless = null;
        synchronized (lock) {
            if (listeners.remove(registered) && listeners.isEmpty()) {
                needless = connection;
                connection = null;
            }
        }
        if (needless != null) {
            needless.cancel();
        }
    }

    private void after(Duration wait, Runnable action) {
        Executor later = CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS, exchange.threads());
        later.execute(action);
    }

    private void deliver(Hint hint) {
        for (Registered registered : listeners) {
            registered.deliver(hint);
        }
    }

    @Override
    public void close() {
        Connection last;
        synchronized (lock) {
            closed = true;
            last = connection;
            connection = null;
            listeners.clear();
        }
        if (last != null) {
            last.cancel();
        }
    }

    /** A listener, until it is removed. */
    private final class Registered implements Registration {

        private final StoreListener listener;
        private volatile boolean over;

        Registered(StoreListener listener) {
            this.listener = listener;
        }

        void deliver(Hint hint) {
            if (over) {
                return;
            }
            try {
                switch (hint) {
                    case Hint.Due due -> listener.tasksMayBeDue(due.queues());
                    case Hint.Ended ended -> listener.tasksMayHaveEnded(ended.ids());
                }
            } catch (RuntimeException e) {
                LOG.warn("Listener failed: error={}", e.toString());
            }
        }

        @Override
        public void close() {
            over = true;
            removed(this);
        }
    }

    /** One connection, from its request to its end. */
    private final class Connection implements Flow.Subscriber<String> {

        private volatile boolean missed;
        private final CountDownLatch greeting = new CountDownLatch(1);
        private volatile long heardAt = System.nanoTime();
        private volatile @Nullable CompletableFuture<HttpResponse<Void>> response;
        private volatile Flow.@Nullable Subscription lines;
        private volatile boolean over;

        Connection(boolean missed) {
            this.missed = missed;
        }

        void open() {
            CompletableFuture<HttpResponse<Void>> sent = exchange.client()
                    .sendAsync(
                            exchange.request(Protocol.HINTS)
                                    .header("Accept", Protocol.EVENTS)
                                    .GET()
                                    .build(),
                            this::body);
            response = sent;
            CompletableFuture<@Nullable Void> unused = sent.handleAsync(
                    (answer, failure) -> {
                        over = true;
                        greeting.countDown();
                        ended(this, failure);
                        return null;
                    },
                    exchange.threads());
            after(LONGEST_SILENCE, this::watch);
        }

        private HttpResponse.BodySubscriber<Void> body(HttpResponse.ResponseInfo info) {
            return info.statusCode() == 200
                    ? HttpResponse.BodySubscribers.fromLineSubscriber(this)
                    : HttpResponse.BodySubscribers.discarding();
        }

        void awaitGreeting() {
            try {
                if (greeting.await(LONGEST_GREETING.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            missed = true; // hints may be late
        }

        /** Ends a connection that has been silent for too long: the other side is gone without a farewell. */
        private void watch() {
            if (over) {
                return;
            }
            if (System.nanoTime() - heardAt > LONGEST_SILENCE.toNanos()) {
                cancel();
            } else {
                after(LONGEST_SILENCE, this::watch);
            }
        }

        void cancel() {
            over = true;
            greeting.countDown();
            Flow.Subscription subscription = lines;
            if (subscription != null) {
                subscription.cancel();
            }
            CompletableFuture<HttpResponse<Void>> sent = response;
            if (sent != null) {
                sent.cancel(true);
            }
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            lines = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            heardAt = System.nanoTime();
            if (greeting.getCount() > 0) {
                greeting.countDown();
                greeted();
                if (missed) {
                    deliver(new Hint.Due(List.of()));
                    deliver(new Hint.Ended(List.of()));
                }
            }
            if (!over) {
                Hint.read(line).ifPresent(HintStream.this::deliver);
            }
        }

        @Override
        public void onError(Throwable failure) {
            // Reported by the response as well.
        }

        @Override
        public void onComplete() {
            // Reported by the response as well.
        }
    }
}
