package dev.semel.storetests;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardJoining;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.task.StoreUnavailable;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A guard store in a worse world: chosen calls fail, before they were done or after it, and renewals can be frozen. */
public final class FaultyGuardStore implements GuardStore {

    private final GuardStore store;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile int failFrom = Integer.MAX_VALUE;
    private volatile int failTo = Integer.MAX_VALUE;
    private volatile boolean after;
    private volatile boolean frozen;

    /**
     * Wraps a store.
     *
     * @param store the store
     */
    public FaultyGuardStore(GuardStore store) {
        this.store = store;
    }

    /**
     * Lets calls fail, counted from now on.
     *
     * @param from the first that fails; 1 is the next one
     * @param number how many fail
     * @param afterwards whether they are done and only their answer is lost
     */
    public void fail(int from, int number, boolean afterwards) {
        calls.set(0);
        after = afterwards;
        failFrom = from;
        failTo = Math.addExact(from, number);
    }

    /** Lets all calls work again. */
    public void heal() {
        failFrom = Integer.MAX_VALUE;
        frozen = false;
    }

    /** From now on renewals are answered but not done, as of an owner that was frozen. */
    public void freezeRenewals() {
        frozen = true;
    }

    /**
     * Returns the number of calls since the last {@link #fail}.
     *
     * @return the number
     */
    public int calls() {
        return calls.get();
    }

    private <T> T answer(Supplier<T> call) {
        int number = calls.incrementAndGet();
        boolean fails = number >= failFrom && number < failTo;
        if (fails && !after) {
            throw new StoreUnavailable("The guard store could not be reached (a fault of the test)");
        }
        T answer = call.get();
        if (fails) {
            throw new StoreUnavailable("The answer of the guard store was lost (a fault of the test)");
        }
        return answer;
    }

    @Override
    public Begun begin(Hold hold) {
        return answer(() -> store.begin(hold));
    }

    @Override
    public Settled renew(Hold hold) {
        return frozen ? Settled.APPLIED : answer(() -> store.renew(hold));
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return answer(() -> store.finish(hold, result));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return answer(() -> store.fail(hold, error));
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return answer(() -> store.find(key));
    }

    @Override
    public int sweep(int limit) {
        return answer(() -> store.sweep(limit));
    }

    /** Forwards the capability; calls inside a caller's transaction are not disturbed. */
    @Override
    public Optional<GuardJoining> joining() {
        return store.joining();
    }

    @Override
    public void close() {
        store.close();
    }
}
