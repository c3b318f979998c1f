package dev.semel.benchmarks;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one measure gave.
 *
 * @param id its name, for filters and programs
 * @param section what it belongs to
 * @param title its name for people
 * @param unit of the figures
 * @param ours the figures of Semel
 * @param raw the raw limit of the same storage, or null where there is none
 * @param empty the figures of Semel on an empty store, where growth is measured, or null
 * @param details further figures by name
 */
public record Result(
        String id,
        String section,
        String title,
        String unit,
        Series ours,
        @Nullable Series raw,
        @Nullable Series empty,
        Map<String, Double> details) {

    /**
     * How near to the raw limit.
     *
     * @return the share, or null where there is no raw limit
     */
    public @Nullable Double ratio() {
        return raw == null ? null : (Double) ours.ratioTo(raw);
    }

    /**
     * What is left of the speed on an empty store.
     *
     * @return the share, or null where growth is not measured
     */
    public @Nullable Double kept() {
        return empty == null ? null : (Double) ours.ratioTo(empty);
    }
}
