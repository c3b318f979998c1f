package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which effects to list, oldest lineage first.
 *
 * @param tenant the tenant of their lineages; null matches all
 * @param states the states; empty matches all
 * @param after the end of the previous page: only later effects are listed; null for the first page
 * @param limit the maximum number of effects of one page
 */
public record EffectQuery(
        @Nullable String tenant,
        Set<EffectState> states,
        @Nullable EffectId after,
        int limit) {

    /** The maximum number of effects of one page. */
    public static final int MAX_LIMIT = 1_000;

    /** Checks and copies. */
    public EffectQuery {
        states = Set.copyOf(states);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidInput("A page has 1 to " + MAX_LIMIT + " effects, but got limit \"" + limit + "\".");
        }
    }

    /**
     * Returns a query for all effects.
     *
     * @param limit the maximum number of effects of one page
     * @return the query
     */
    public static EffectQuery all(int limit) {
        return new EffectQuery(null, Set.of(), null, limit);
    }

    /**
     * Returns a query for all effects with unknown outcome.
     *
     * @param limit the maximum number of effects of one page
     * @return the query
     */
    public static EffectQuery unknown(int limit) {
        return new EffectQuery(null, Set.of(EffectState.UNKNOWN), null, limit);
    }

    /**
     * Returns this query for one tenant.
     *
     * @param only the tenant
     * @return the query
     */
    public EffectQuery ofTenant(String only) {
        return new EffectQuery(only, states, after, limit);
    }

    /**
     * Returns this query for the page after an effect.
     *
     * @param last the last effect of the previous page
     * @return the query
     */
    public EffectQuery after(EffectId last) {
        return new EffectQuery(tenant, states, last, limit);
    }
}
