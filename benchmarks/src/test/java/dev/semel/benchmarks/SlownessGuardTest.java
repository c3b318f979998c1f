package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.benchmarks.Item.Keys;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fails when Semel gets much slower. It compares the whole life of tasks with the raw limit of the same storage on the
 * same machine in the same run, so it holds on any machine; and it requires far less than is measured (a half, see
 * {@code docs/reference/performance.md}), of the best of some tries, so it does not fail because of a busy machine.
 */
class SlownessGuardTest {

    private static final int TASKS = 10_000;
    private static final int MOST_TRIES = 8;
    private static final double LEAST_SHARE = 0.22;

    @TempDir
    Path directory;

    @Test
    void the_whole_life_of_a_task_with_a_key_is_not_far_below_the_raw_limit() {
        StoreUnderTest storage = StoreUnderTest.of("sqlite:" + directory.resolve("guard.db"));
        double best = 0;
        // The first tries run on code that is not compiled yet.
        for (int tried = 0; tried < MOST_TRIES && (tried < 3 || best < LEAST_SHARE); tried++) {
            best = Math.max(best, share(storage));
        }
        assertThat(best).as("whole life of a task, as a share of the raw limit").isGreaterThan(LEAST_SHARE);
    }

    private static double share(StoreUnderTest storage) {
        List<Item> items = Item.fresh(0, TASKS, Keys.RISING);
        double ours;
        try (StoreUnderTest.Place place = storage.fresh()) {
            ours = Measures.life(place, items, Work.USUAL_SIZE, true).lap().nanos();
        }
        try (StoreUnderTest.Place place = storage.fresh();
                RawStore raw = place.openRaw()) {
            return Raw.life(raw, Raw.rows(items, Work.USUAL_SIZE)).nanos() / ours;
        }
    }
}
