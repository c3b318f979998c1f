package dev.semel.storetests;

import dev.semel.store.ClaimRequest;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A claim that lacks only its number; each method gives a wish that differs in one thing. */
record Wish(
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
    static Wish from(String... queues) {
        int all = ClaimRequest.MAX_LIMIT;
        return new Wish(Set.of(queues), null, all, all, all, ClaimRequest.ANY_BYTES, LEASE, WORKER);
    }

    Wish ofTypes(String... other) {
        return new Wish(queues, Set.of(other), limit, limited, suspects, bytes, lease, worker);
    }

    Wish limit(int other) {
        return new Wish(
                queues, types, other, Math.min(limited, other), Math.min(suspects, other), bytes, lease, worker);
    }

    Wish suspects(int other) {
        return new Wish(queues, types, limit, limited, other, bytes, lease, worker);
    }

    Wish bytes(long other) {
        return new Wish(queues, types, limit, limited, suspects, other, lease, worker);
    }

    Wish limited(int other) {
        return new Wish(queues, types, limit, other, suspects, bytes, lease, worker);
    }

    Wish lease(Duration other) {
        return new Wish(queues, types, limit, limited, suspects, bytes, other, worker);
    }

    Wish worker(String other) {
        return new Wish(queues, types, limit, limited, suspects, bytes, lease, other);
    }

    ClaimRequest as(long number) {
        return new ClaimRequest(number, false, queues, types, limit, limited, suspects, bytes, lease, worker);
    }
}
