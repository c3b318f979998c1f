package dev.semel.benchmarks;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of one measure.
 *
 * @param id its name, for filters and programs
 * @param section the section of the report
 * @param title its name for people
 * @param unit the unit of the figures
 * @param ours the figures of Semel
 * @param raw the raw limit of the same storage, or null if there is none
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
     * Returns the share of the raw limit.
     *
     * @return the share, or null if there is no raw limit
     */
    public @Nullable Double ratio() {
        return raw == null ? null : (Double) ours.ratioTo(raw);
    }

    /**
     * Returns the remaining share of the speed on an empty store.
     *
     * @return the share, or null if growth is not measured
     */
    public @Nullable Double kept() {
        return empty == null ? null : (Double) ours.ratioTo(empty);
    }
}
