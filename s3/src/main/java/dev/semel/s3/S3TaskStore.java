package dev.semel.s3;

import dev.semel.s3.log.LogReplica;
import dev.semel.s3.log.LogSettings;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.probe.Probe;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks with nothing but object storage: one ordered log of objects below a prefix, shared by any number of processes.
 *
 * <p>Every answer is durable: what it says is in an object that was created before. Correctness rests on create-if-absent alone.
 * Leases have ten seconds or more: an entry may have to wait for those of other processes. A submission can join no transaction,
 * and a task cannot complete in one of its handler's, because there is no database to share.
 */
public final class S3TaskStore extends ForwardingTaskStore {

    private static final Logger LOG = LoggerFactory.getLogger(S3TaskStore.class);

    // A sweep has many steps, and each cleaning lists all objects.
    private static final long CLEAN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final LogReplica log;
    private final ObjectStore objects;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong cleanedAt = new AtomicLong(System.nanoTime() - CLEAN_NANOS);

    private final Duration shortestLease;

    private S3TaskStore(LogReplica log, ObjectStore objects, Duration shortestLease) {
        super(log.store());
        this.log = log;
        this.objects = objects;
        this.shortestLease = shortestLease;
    }

    /**
     * Opens a store with the standard settings; begins its log if there is none.
     *
     * @param url for example {@code s3://bucket/prefix?region=eu-central-1}
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the service cannot create objects only if they are absent
     */
    public static S3TaskStore open(String url) {
        return open(S3Settings.of(url));
    }

    /**
     * Opens a store below a prefix, and tries out whether the service can be relied on, unless that was done before.
     *
     * @param settings where, and how the service is asked
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the service cannot create objects only if they are absent
     */
    public static S3TaskStore open(S3Settings settings) {
        ObjectStore objects = Limits.notNull("settings", settings).objects();
        try {
            Probe.ensure(settings::service, objects, settings.toString());
            return open(objects, settings.toString(), LogSettings.standard());
        } catch (RuntimeException e) {
            objects.close();
            throw e;
        }
    }

    /**
     * Opens a store; begins its log if there is none.
     *
     * @param objects the objects below the store's prefix, which the store closes
     * @param address identifies the prefix among all that this machine uses, for example by its URL
     * @param settings how the store behaves
     * @return the store
     */
    public static S3TaskStore open(ObjectStore objects, String address, LogSettings settings) {
        ObjectStore below = Limits.notNull("object store", objects);
        return new S3TaskStore(
                LogReplica.open(below, Limits.notNull("address", address), Limits.notNull("settings", settings)),
                below,
                settings.shortestLease());
    }

    /** {@inheritDoc} Ten seconds by default. */
    @Override
    public Duration shortestLease() {
        return shortestLease;
    }

    @Override
    public Claims claim(ClaimRequest request) {
        checkLease(request.lease());
        return super.claim(request);
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        for (Settlement settlement : batch) {
            if (settlement instanceof Settlement.Extend extend) {
                checkLease(extend.duration());
            }
        }
        return super.settle(batch);
    }

    private void checkLease(Duration lease) {
        if (lease.compareTo(shortestLease) < 0) {
            throw new InvalidInput("A lease is at least " + Durations.shown(shortestLease)
                    + " on object storage, because its extension may have to wait for entries of other processes, but got"
                    + " \"" + Durations.shown(lease) + "\". Use a longer one.");
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>A listener is notified of entries of other processes by looking for them: every two seconds while nothing happens, which is
     * 1,800 requests an hour for each process, whatever the number of listeners.
     */
    @Override
    public Registration listen(StoreListener listener) {
        Registration registration = super.listen(listener);
        log.watch();
        return registration;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Also deletes objects of the log that can never be needed again, every ten minutes at the most.
     */
    @Override
    public Swept sweep(SweepRequest request) {
        Swept swept = super.sweep(request);
        long last = cleanedAt.get();
        long now = System.nanoTime();
        if (!request.removesNothing() && now - last >= CLEAN_NANOS && cleanedAt.compareAndSet(last, now)) {
            clean();
        }
        return swept;
    }

    private void clean() {
        try {
            int unused = log.clean();
        } catch (StoreUnavailable e) {
            // The next sweep continues.
            LOG.debug("Log not cleaned", e);
        }
    }

    /**
     * Takes a snapshot of all tasks now. Snapshots are taken by themselves as the log grows.
     *
     * @return the number of the entry after which it was taken
     */
    public long takeSnapshot() {
        return log.takeSnapshot();
    }

    /** Executes what waits, and closes the store. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            log.close();
            objects.close();
        }
    }
}
