package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ManualClockTest {

    @Test
    void aManualClockMovesOnlyByHand() {
        ManualClock clock = new ManualClock(Instant.EPOCH);
        assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
        assertThat(clock.advance(Duration.ofMillis(5))).isEqualTo(Instant.ofEpochMilli(5));
        assertThat(clock.millis()).isEqualTo(5);
        clock.advance(Duration.ofMillis(-3));
        assertThat(clock.millis()).isEqualTo(2);
        clock.set(Instant.ofEpochSecond(1));
        assertThat(clock.instant()).isEqualTo(Instant.ofEpochSecond(1));
        assertThat(clock).hasToString("ManualClock[1970-01-01T00:00:01Z]");
    }
}
