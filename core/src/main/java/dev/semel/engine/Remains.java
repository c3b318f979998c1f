package dev.semel.engine;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Settlement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished store calls of a failed worker: settlements that the store has not answered, and a claim that it may
 * have executed.
 */
final class Remains {

    private final List<Settlement> settlements;
    private final @Nullable ClaimRequest claim;
    private int given;

    Remains(List<Settlement> settlements, @Nullable ClaimRequest claim) {
        this.settlements = settlements;
        this.claim = claim;
    }

    /** Returns the claim to repeat, or null. Otherwise the tasks that it took would vanish when their leases expire. */
    @Nullable
    ClaimRequest claim() {
        return claim;
    }

    /** Returns the settlements of the next call; empty if all are answered. */
    List<Settlement> next() {
        return Outbox.oneCall(settlements.subList(given, settlements.size()));
    }

    /** Records that the store has answered this number of settlements. */
    void answered(int number) {
        given += number;
    }
}
