package dev.semel.storetests;

import dev.semel.store.ClaimRequest;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A claim that lacks only its number; each method returns a draft that differs in one thing. */
record ClaimDraft(
        Set<String> queues,
        @Nullable Set<String> types,
        int limit,
        int limited,
        int suspects,
        long bytes,
        Duration lease,
        String worker) {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final String WORKER = "worker";

    /** All due tasks of these queues, whatever their type. */
    static ClaimDraft from(String... queues) {
        int all = ClaimRequest.MAX_LIMIT;
        return new ClaimDraft(Set.of(queues), null, all, all, all, ClaimRequest.ANY_BYTES, LEASE, WORKER);
    }

    ClaimDraft ofTypes(String... other) {
        return new ClaimDraft(queues, Set.of(other), limit, limited, suspects, bytes, lease, worker);
    }

    ClaimDraft limit(int other) {
        return new ClaimDraft(
                queues, types, other, Math.min(limited, other), Math.min(suspects, other), bytes, lease, worker);
    }

    ClaimDraft suspects(int other) {
        return new ClaimDraft(queues, types, limit, limited, other, bytes, lease, worker);
    }

    ClaimDraft bytes(long other) {
        return new ClaimDraft(queues, types, limit, limited, suspects, other, lease, worker);
    }

    ClaimDraft limited(int other) {
        return new ClaimDraft(queues, types, limit, other, suspects, bytes, lease, worker);
    }

    ClaimDraft lease(Duration other) {
        return new ClaimDraft(queues, types, limit, limited, suspects, bytes, other, worker);
    }

    ClaimDraft worker(String other) {
        return new ClaimDraft(queues, types, limit, limited, suspects, bytes, lease, other);
    }

    ClaimRequest as(long number) {
        return new ClaimRequest(number, false, queues, types, limit, limited, suspects, bytes, lease, worker);
    }
}
