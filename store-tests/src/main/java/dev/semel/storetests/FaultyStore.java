package dev.semel.storetests;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that fails now and then, around any other: with {@link StoreUnavailable}, before it did what was asked or after
 * it. The caller cannot tell the two apart, and must not need to.
 *
 * <p>Every operation counts as one call, reading too. Listening, closing and the capabilities never fail.
 */
public final class FaultyStore extends ForwardingTaskStore {

    /** The fault of one call. */
    public enum Fault {
        /** Nothing. */
        NONE,
        /** The call fails and nothing was done. */
        BEFORE,
        /** All was done, and the answer is lost. */
        AFTER
    }

    private final TaskStore store;
    private final LongFunction<Fault> rule;
    private final AtomicLong calls = new AtomicLong();

    /**
     * Wraps a store.
     *
     * @param store the store that does the work
     * @param rule the fault of each call; the first call has number 1; must be safe for use by many threads
     */
    public FaultyStore(TaskStore store, LongFunction<Fault> rule) {
        super(store);
        this.store = store;
        this.rule = rule;
    }

    /**
     * Wraps a store so that one call fails.
     *
     * @param store the store that does the work
     * @param number which call, counted from 1
     * @param fault its fault
     * @return the wrapped store
     */
    public static FaultyStore onCall(TaskStore store, long number, Fault fault) {
        return new FaultyStore(store, call -> call == number ? fault : Fault.NONE);
    }

    /**
     * Wraps a store so that a share of all calls fails, half of them before and half of them after the work is done. Which
     * calls fail depends on the seed and their number alone.
     *
     * @param store the store that does the work
     * @param seed decides which calls fail
     * @param share how many of them, 0 to 1
     * @return the wrapped store
     */
    public static FaultyStore seeded(TaskStore store, long seed, double share) {
        return new FaultyStore(store, call -> {
            SplittableRandom random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L + call);
            if (random.nextDouble() >= share) {
                return Fault.NONE;
            }
            return random.nextBoolean() ? Fault.BEFORE : Fault.AFTER;
        });
    }

    /**
     * How many calls there were.
     *
     * @return their number, those that failed included
     */
    public long calls() {
        return calls.get();
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        return call("submit", () -> store.submit(batch));
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return call("claim", () -> store.claim(request));
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        return call("settle", () -> store.settle(batch));
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        return call("operate", () -> store.operate(batch));
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return call("find", () -> store.find(ids));
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        return call("attempts", () -> store.attempts(ids));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return call("effects", () -> store.effects(lineages));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return call("effects", () -> store.effects(query));
    }

    @Override
    public Page list(TaskQuery query) {
        return call("list", () -> store.list(query));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        return call("records", () -> store.records(identities));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return call("queues", store::queues);
    }

    @Override
    public Map<String, QueueSetUp> queues(Collection<String> names) {
        return call("queues", () -> store.queues(names));
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return call("depths", () -> store.depths(tenant));
    }

    @Override
    public Swept sweep(SweepRequest request) {
        return call("sweep", () -> store.sweep(request));
    }

    private <T> T call(String operation, Supplier<T> work) {
        long number = calls.incrementAndGet();
        return switch (rule.apply(number)) {
            case NONE -> work.get();
            case BEFORE ->
                throw new StoreUnavailable(
                        "Call " + number + ", " + operation + ", failed on purpose before it was done");
            case AFTER -> {
                T unused = work.get();
                throw new StoreUnavailable(
                        "Call " + number + ", " + operation + ", was done, its answer lost on purpose");
            }
        };
    }
}
