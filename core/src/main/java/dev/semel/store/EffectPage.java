package dev.semel.store;

import dev.semel.task.EffectId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a listing of effects.
 *
 * @param effects the effects, in the order of their ids; a store may end a page early, even an empty one, where the
 *     filter matches little
 * @param next where the next page continues, for {@link EffectQuery#after}; null if there are no more
 */
public record EffectPage(
        List<EffectRecord> effects, @Nullable EffectId next) {

    /** Copies. */
    public EffectPage {
        effects = List.copyOf(effects);
    }
}
