package dev.semel.s3.objects;

import dev.semel.s3.objects.Creation.Created;
import dev.semel.s3.objects.Creation.Exists;
import dev.semel.s3.objects.Reading.Absent;
import dev.semel.s3.objects.Reading.Found;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The object store on an {@link ObjectService}: sends a request again until its outcome is known. This is the only place
 * that repeats requests.
 */
public final class RetryingObjectStore implements ObjectStore {

    private interface Request<T> {
        T send() throws RequestFailed;
    }

    private final ObjectService service;
    private final RetrySettings settings;
    private final CountDownLatch closed = new CountDownLatch(1);

    private RetryingObjectStore(ObjectService service, RetrySettings settings) {
        this.service = service;
        this.settings = settings;
    }

    /**
     * Creates the store.
     *
     * @param service the service; it is closed with the store
     * @param settings how long and how often requests are repeated
     * @return the store
     */
    public static RetryingObjectStore on(ObjectService service, RetrySettings settings) {
        return new RetryingObjectStore(
                Limits.notNull("object service", service), Limits.notNull("retry settings", settings));
    }

    @Override
    public Creation create(String name, byte[] content, Mark mark) {
        ObjectName.check(name);
        ObjectStore.checkContent(Limits.notNull("content", content));
        Limits.notNull("mark", mark);
        Attempts attempts = new Attempts("create \"" + name + "\"");
        while (true) {
            PutAnswer answer = attempts.until(() -> service.put(name, content, mark));
            switch (answer.outcome()) {
                case CREATED -> {
                    return new Created(answer.date());
                }
                case EXISTS -> {
                    // Read on every 412, also on that of the first send: something between here and the service may
                    // have sent
                    // the request twice, and the caller needs the winner's object anyway.
                    switch (attempts.until(() -> service.get(name))) {
                        case Found(StoredObject object, Instant date) -> {
                            return mark.equals(object.mark()) ? new Created(date) : new Exists(object, date);
                        }
                        case Absent absent -> attempts.again("it existed and was deleted", null);
                    }
                }
                case CONFLICT -> attempts.again("another write of that name was under way", null);
            }
        }
    }

    @Override
    public Reading get(String name) {
        ObjectName.check(name);
        return new Attempts("read \"" + name + "\"").until(() -> service.get(name));
    }

    @Override
    public Listing list(String prefix, String after, int limit) {
        ObjectName.checkPrefix(prefix);
        ObjectName.checkPrefix(after);
        ObjectStore.checkLimit(limit);
        return new Attempts("list \"" + prefix + "\"").until(() -> service.list(prefix, after, limit));
    }

    @Override
    public Instant delete(String name) {
        ObjectName.check(name);
        requireOpen();
        try {
            return service.delete(name);
        } catch (RequestFailed e) {
            throw unavailable("delete \"" + name + "\"", e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        service.close();
    }

    private void requireOpen() {
        if (closed.getCount() == 0) {
            throw StoreUnusable.closed("The object store");
        }
    }

    private StoreUnavailable unavailable(String what, RequestFailed e) {
        if (e.isInterrupted()) {
            Thread.currentThread().interrupt();
        }
        return new StoreUnavailable(
                "The object service gave no usable answer to \"" + what + "\": " + e.getMessage()
                        + " Whether it was applied is not known. Try again.",
                e);
    }

    /** The sends of one operation, with pauses between them. */
    private final class Attempts {

        private final String what;
        private final long start = System.nanoTime();
        private final RandomGenerator random = new SplittableRandom();
        private Duration pause = settings.firstPause();

        Attempts(String what) {
            this.what = what;
        }

        <T> T until(Request<T> request) {
            while (true) {
                requireOpen();
                try {
                    return request.send();
                } catch (RequestFailed e) {
                    requireOpen();
                    if (e.isInterrupted()) {
                        throw unavailable(what, e);
                    }
                    again(String.valueOf(e.getMessage()), e);
                }
            }
        }

        /** Waits before the next send, or gives up. */
        void again(String why, @Nullable RequestFailed cause) {
            Duration spent = Duration.ofNanos(System.nanoTime() - start);
            if (spent.compareTo(settings.patience()) >= 0) {
                throw unavailable(what, cause == null ? new RequestFailed(why + ".", null) : cause);
            }
            long longest = pause.toNanos();
            // A random part of the pause: writers that met once should not meet again.
            long chosen = longest == 0 ? 0 : random.nextLong(longest) + 1;
            pause = pause.multipliedBy(2).compareTo(settings.longestPause()) > 0
                    ? settings.longestPause()
                    : pause.multipliedBy(2);
            try {
                if (closed.await(chosen, TimeUnit.NANOSECONDS)) {
                    requireOpen();
                }
            } catch (InterruptedException e) {
                throw unavailable(what, new RequestFailed("The waiting thread was interrupted.", e));
            }
        }
    }
}
