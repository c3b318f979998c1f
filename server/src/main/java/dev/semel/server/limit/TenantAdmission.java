package dev.semel.server.limit;

import dev.semel.server.http.Problem;
import dev.semel.server.json.JsonText;
import dev.semel.store.TaskStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Admits submissions by the limits of their tenants. The counters are in the memory of this server: the rate is this server's own, open
 * tasks and stored bytes are read from the store and so include what other servers did.
 */
public final class TenantAdmission implements Admission {

    private final TaskStore store;
    private final Function<String, TenantLimits> limits;
    private final MeterRegistry registry;
    private final LongSupplier nanoTime;
    // As many as there are tenants with limits, which an operator sets one by one.
    private final Map<String, TenantUsage> usages = new ConcurrentHashMap<>();

    /**
     * Creates an admission.
     *
     * @param store the store, from which usage is read
     * @param limits returns the limits of a tenant
     * @param registry counts rejected submissions
     * @param nanoTime the time, as {@link System#nanoTime}
     */
    public TenantAdmission(
            TaskStore store, Function<String, TenantLimits> limits, MeterRegistry registry, LongSupplier nanoTime) {
        this.store = store;
        this.limits = limits;
        this.registry = registry;
        this.nanoTime = nanoTime;
    }

    @Override
    public Ticket admit(String tenant, int tasks, long bytes) {
        TenantLimits own = limits.apply(tenant);
        if (own.equals(TenantLimits.NONE)) {
            return () -> {};
        }
        TenantUsage usage = usage(tenant);
        TenantUsage.Rejected rejected = usage.admit(own, tasks, bytes);
        if (rejected != null) {
            registry.counter(
                            "semel.tenant.rejected",
                            "tenant",
                            tenant,
                            "limit",
                            rejected.limit().name().toLowerCase(Locale.ROOT))
                    .increment();
            throw rejected.problem();
        }
        return () -> usage.answered(tasks, bytes);
    }

    /**
     * Returns whether a submission was rejected for lack of room, which a duplicate does not take. The rate protects the store, from
     * duplicates too.
     *
     * @param rejected why it was rejected
     * @return whether it is about open tasks or stored bytes
     */
    public static boolean isAboutRoom(Problem rejected) {
        return rejected.slug().equals(TenantUsage.Full.OPEN_TASKS.slug())
                || rejected.slug().equals(TenantUsage.Full.STORED_BYTES.slug());
    }

    private TenantUsage usage(String tenant) {
        return usages.computeIfAbsent(tenant, name -> new TenantUsage(store, name, nanoTime));
    }

    /**
     * Returns the limits of a tenant and, for those that are set, what it uses.
     *
     * @param tenant the tenant
     * @return a JSON object
     */
    public String json(String tenant) {
        TenantLimits own = limits.apply(tenant);
        JsonText json = new JsonText().put("tenant", tenant);
        if (own.submissions() != null) {
            json.put("max_submissions", own.submissions().text());
        }
        if (own.openTasks() != null) {
            json.put("open_tasks", usage(tenant).openTasks()).put("max_open_tasks", own.openTasks());
        }
        if (own.storedBytes() != null) {
            TenantUsage usage = usage(tenant);
            long bytes = usage.storedBytes();
            if (usage.isMeasured()) {
                json.put("stored_bytes", bytes);
            }
            json.put("max_stored_bytes", own.storedBytes());
        }
        return json.toString();
    }
}
