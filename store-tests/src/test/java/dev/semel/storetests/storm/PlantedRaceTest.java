package dev.semel.storetests.storm;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A storm that never fails proves nothing: it must find what was planted. {@code -Drace=REGEX} plants some only. */
class PlantedRaceTest {

    private static final int ROUNDS = 300;
    private static final int CALLS = 200;
    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @ParameterizedTest
    @EnumSource(PlantedRace.class)
    void every_planted_race_is_found(PlantedRace race) throws InterruptedException {
        assumeTrue(race.name().matches(System.getProperty("race", ".*")), "another one was asked for by -Drace");
        for (long seed = 0; seed < ROUNDS; seed++) {
            if (!StormWeather.of(seed).conditions().containsAll(race.needs())) {
                continue;
            }
            StormRound.Result result = new StormRound(new Racing(race), seed, CALLS, PATIENCE).run(ROUND);
            if (!result.violations().isEmpty()) {
                String first = result.violations().getFirst();
                System.out.println(race + " was found in round " + (seed + 1) + " after " + result.calls() + " calls: "
                        + first.lines().findFirst().orElse(""));
                return;
            }
        }
        fail("%s was not found in %d rounds", race, ROUNDS);
    }

    private static final class Racing implements StormStorage {

        private final PlantedRace race;
        private TaskStore store;

        Racing(PlantedRace race) {
            this.race = race;
        }

        @Override
        public TaskStore open(ManualClock clock) {
            store = race.open(clock);
            return store;
        }

        @Override
        public TaskStore openAnother() {
            return store;
        }
    }
}
