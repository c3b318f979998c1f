package dev.semel.s3;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardRecord;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.s3.guard.GuardNames;
import dev.semel.s3.guard.GuardObjects;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.probe.Probe;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A guard store on object storage, with an object for each change of an entry. Any service that creates an object only if it is
 * absent will do; that is tried out when a store is opened.
 *
 * <p>A new key costs a list, a read and two writes until its outcome is recorded, and each renewal is a write. A call that finds the
 * outcome costs a list and a read. The objects are readable JSON.
 */
public final class S3GuardStore implements GuardStore {

    private final ObjectStore objects;
    private final GuardObjects guard;
    private volatile boolean closed;

    private S3GuardStore(ObjectStore objects, InstantSource clock) {
        this.objects = objects;
        this.guard = new GuardObjects(objects, clock, new SecureRandom());
    }

    /**
     * Opens the guard below a prefix, and tries out whether the service can be relied on, unless that was done before.
     *
     * @param url for example {@code s3://bucket/prefix?region=eu-central-1}
     * @return the store
     * @throws StoreUnusable if the service cannot create objects only if they are absent
     */
    public static S3GuardStore open(String url) {
        return open(S3Settings.of(url));
    }

    /**
     * Opens the guard below a prefix, and tries out whether the service can be relied on, unless that was done before.
     *
     * @param settings where, and how it behaves
     * @return the store
     * @throws StoreUnusable if the service cannot create objects only if they are absent
     */
    public static S3GuardStore open(S3Settings settings) {
        ObjectStore objects = Limits.notNull("settings", settings).objects();
        try {
            Probe.ensure(settings::service, objects, settings.toString());
            return new S3GuardStore(objects, settings.clock());
        } catch (RuntimeException e) {
            objects.close();
            throw e;
        }
    }

    /**
     * Creates the guard on objects that were opened elsewhere, without trying out the service.
     *
     * @param objects the objects; closed with the store
     * @param clock this machine's clock, which adds milliseconds to the service's time
     * @return the store
     */
    public static S3GuardStore on(ObjectStore objects, InstantSource clock) {
        return new S3GuardStore(Limits.notNull("objects", objects), Limits.notNull("clock", clock));
    }

    /**
     * Returns where the objects of an entry are, below the prefix.
     *
     * @param key the tenant and the key
     * @return for example {@code idempotency/default/5f2c…/}; the object with the highest number in it is the entry
     */
    public static String directory(GuardKey key) {
        return GuardNames.directory(Limits.notNull("key", key));
    }

    @Override
    public Begun begin(Hold hold) {
        return open(() -> guard.begin(hold));
    }

    @Override
    public Settled renew(Hold hold) {
        return open(() -> guard.settle(hold, (stored, now) -> GuardRecord.renewed(stored, hold, now)));
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return open(() -> guard.settle(hold, (stored, now) -> GuardRecord.finished(stored, hold, result, now)));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return open(() -> guard.settle(hold, (stored, now) -> GuardRecord.failed(stored, hold, error, now)));
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return open(() -> guard.find(key));
    }

    /** Ends expired entries of earlier days, which are deleted a day later. Looks once an hour at the most. */
    @Override
    public int sweep(int limit) {
        GuardStore.checkSweep(limit);
        return open(() -> guard.sweep(limit));
    }

    @Override
    public void close() {
        closed = true;
        objects.close();
    }

    private <T> T open(Supplier<T> operation) {
        if (closed) {
            throw StoreUnusable.closed("The guard store on object storage");
        }
        return operation.get();
    }
}
