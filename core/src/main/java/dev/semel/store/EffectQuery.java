package dev.semel.store;

import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which effects to list, oldest lineage first.
 *
 * @param states the states; empty lets all pass
 * @param after where the page before ended: only later ones are listed; null to begin
 * @param limit the most effects of one page
 */
public record EffectQuery(Set<EffectState> states, @Nullable EffectId after, int limit) {

    /** The most effects of one page. */
    public static final int MAX_LIMIT = 1_000;

    /** Checks and copies. */
    public EffectQuery {
        states = Set.copyOf(states);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidInput("A page has 1 to " + MAX_LIMIT + " effects, but got limit \"" + limit + "\".");
        }
    }

    /**
     * All effects whose outcome is unknown.
     *
     * @param limit the most effects of one page
     * @return the query
     */
    public static EffectQuery unknown(int limit) {
        return new EffectQuery(Set.of(EffectState.UNKNOWN), null, limit);
    }

    /**
     * The same query for the page after this effect.
     *
     * @param last the last effect of the page before
     * @return the query
     */
    public EffectQuery after(EffectId last) {
        return new EffectQuery(states, last, limit);
    }
}
