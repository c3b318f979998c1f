package dev.semel.s3.objects;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A network between processes and one object service in memory, in which requests fail as a plan for each process says. It
 * knows the history of the service, so that lists can be stale, and keeps requests that are applied later than they were sent.
 */
public final class FaultyNetwork {

    /** How old a stale list can be at the most. */
    public static final Duration STALENESS = Duration.ofMinutes(30);

    private static final Duration SLOWNESS = Duration.ofMillis(1);

    private record Change(Instant at, String name, @Nullable ListedObject created) {}

    private interface Request<T> {
        T send() throws RequestFailed;
    }

    private final InMemoryObjects service;
    private final RandomGenerator random;
    private final List<Change> history = new ArrayList<>();
    private final Deque<Runnable> late = new ArrayDeque<>();

    /**
     * Creates a network.
     *
     * @param service the service
     * @param seed the seed for what plans leave open
     */
    public FaultyNetwork(InMemoryObjects service, long seed) {
        this.service = service;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Connects a process.
     *
     * @param plan what happens to its requests
     * @return the service as that process sees it
     */
    public Connection connect(FaultPlan plan) {
        return new Connection(plan);
    }

    /** Applies all requests that are still under way. */
    public void deliverLate() {
        synchronized (history) {
            while (!late.isEmpty()) {
                late.poll().run();
            }
        }
    }

    private PutAnswer putNow(String name, byte[] content, Mark mark) {
        synchronized (history) {
            PutAnswer answer = service.put(name, content, mark);
            if (answer.outcome() == PutAnswer.Outcome.CREATED) {
                history.add(new Change(answer.date(), name, new ListedObject(name, content.length, answer.date())));
            }
            return answer;
        }
    }

    private Instant deleteNow(String name) {
        synchronized (history) {
            Instant now = service.delete(name);
            history.add(new Change(now, name, null));
            return now;
        }
    }

    private Listing staleList(String prefix, String after, int limit) {
        synchronized (history) {
            Instant now = service.list(prefix, after, limit).date();
            int oldest = history.size();
            while (oldest > 0 && history.get(oldest - 1).at().isAfter(now.minus(STALENESS))) {
                oldest--;
            }
            int cut = random.nextInt(oldest, history.size() + 1);
            Map<String, ListedObject> then = new TreeMap<>(Comparator.naturalOrder());
            for (Change change : history.subList(0, cut)) {
                if (change.created() == null) {
                    then.remove(change.name());
                } else {
                    then.put(change.name(), change.created());
                }
            }
            List<ListedObject> found = then.values().stream()
                    .filter(object ->
                            object.name().startsWith(prefix) && object.name().compareTo(after) > 0)
                    .limit(limit + 1L)
                    .toList();
            boolean more = found.size() > limit;
            return new Listing(more ? found.subList(0, limit) : found, more, now);
        }
    }

    private void deliverSomeLate() {
        synchronized (history) {
            if (!late.isEmpty() && random.nextInt(3) == 0) {
                late.poll().run();
            }
        }
    }

    /** The service as one process sees it. */
    public final class Connection implements ObjectService {

        private final FaultPlan plan;
        private final AtomicLong sent = new AtomicLong();
        private volatile boolean killed;

        private Connection(FaultPlan plan) {
            this.plan = plan;
        }

        /** {@return how many requests were sent} */
        public long sent() {
            return sent.get();
        }

        @Override
        public PutAnswer put(String name, byte[] content, Mark mark) throws RequestFailed {
            byte[] copy = content.clone();
            return send("PUT " + name, () -> putNow(name, copy, mark));
        }

        @Override
        public Reading get(String name) throws RequestFailed {
            return send("GET " + name, () -> service.get(name));
        }

        @Override
        public Listing list(String prefix, String after, int limit) throws RequestFailed {
            return send(
                    "LIST " + prefix, () -> service.list(prefix, after, limit), () -> staleList(prefix, after, limit));
        }

        @Override
        public Instant delete(String name) throws RequestFailed {
            return send("DELETE " + name, () -> deleteNow(name));
        }

        @Override
        public void close() {
            // The network stays for the other processes.
        }

        private <T> T send(String what, Request<T> request) throws RequestFailed {
            return send(what, request, request);
        }

        @SuppressWarnings("unchecked") // a conflict is only ever the answer to a PUT
        private <T> T send(String what, Request<T> request, Request<T> stale) throws RequestFailed {
            long number = sent.incrementAndGet();
            if (killed) {
                throw new ProcessKilled("earlier than request " + number + ", " + what);
            }
            deliverSomeLate();
            boolean isPut = what.startsWith("PUT");
            return switch (plan.next(number)) {
                case NONE -> request.send();
                case CONFLICT -> {
                    if (!isPut) {
                        throw new RequestFailed("500 before " + what, null);
                    }
                    Instant now = service.get("conflict").date();
                    yield (T) new PutAnswer(PutAnswer.Outcome.CONFLICT, now);
                }
                case UNAVAILABLE -> throw new RequestFailed("503 for " + what, null);
                case ERROR_BEFORE -> throw new RequestFailed("500 before " + what, null);
                case ERROR_AFTER -> {
                    request.send();
                    throw new RequestFailed("500 after " + what, null);
                }
                case TIMEOUT_AFTER -> {
                    request.send();
                    throw new RequestFailed("No answer to " + what, null);
                }
                case APPLIED_LATER -> {
                    later(request);
                    throw new RequestFailed("No answer yet to " + what, null);
                }
                case SENT_TWICE -> {
                    request.send();
                    yield request.send();
                }
                case SLOW -> {
                    LockSupport.parkNanos(SLOWNESS.toNanos());
                    T answer = request.send();
                    LockSupport.parkNanos(SLOWNESS.toNanos());
                    yield answer;
                }
                case STALE_LIST -> stale.send();
                case KILLED_BEFORE -> {
                    killed = true;
                    throw new ProcessKilled("before request " + number + ", " + what);
                }
                case KILLED_AFTER -> {
                    killed = true;
                    request.send();
                    throw new ProcessKilled("after request " + number + ", " + what);
                }
            };
        }

        private void later(Request<?> request) {
            synchronized (history) {
                late.add(() -> {
                    try {
                        request.send();
                    } catch (RequestFailed e) {
                        throw new AssertionError("The service in memory does not fail", e);
                    }
                });
            }
        }
    }
}
