package dev.semel.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ticks in time zones whose clocks are changed. */
class TimingTest {

    private static List<Instant> ticks(Timing timing, Instant after, Instant until) {
        List<Instant> ticks = new ArrayList<>();
        for (Instant tick = timing.next(after); tick != null && !tick.isAfter(until); tick = timing.next(tick)) {
            ticks.add(tick);
        }
        return ticks;
    }

    private static Timing cron(String expression, String zone) {
        return new Timing.Cron(CronExpression.parse(expression), ZoneId.of(zone));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Berlin: 2027-03-28, 02:00 becomes 03:00 at 01:00 UTC; 2027-10-31, 03:00 becomes 02:00 at 01:00 UTC.
                "30 2 * * *    | Europe/Berlin | 2027-03-27T12:00:00Z | 2027-03-28T01:00:00Z 2027-03-29T00:30:00Z",
                "*/15 2 * * *  | Europe/Berlin | 2027-03-27T12:00:00Z | 2027-03-28T01:00:00Z 2027-03-29T00:00:00Z",
                "0 2,3 * * *   | Europe/Berlin | 2027-03-27T12:00:00Z | 2027-03-28T01:00:00Z 2027-03-29T00:00:00Z",
                "30 2 * * *    | Europe/Berlin | 2027-10-30T12:00:00Z | 2027-10-31T00:30:00Z 2027-11-01T01:30:00Z",
                "*/30 2 * * *  | Europe/Berlin | 2027-10-30T12:00:00Z | 2027-10-31T00:00:00Z 2027-10-31T00:30:00Z 2027-11-01T01:00:00Z",
                "30 2 * * *    | Europe/Berlin | 2027-10-31T01:10:00Z | 2027-11-01T01:30:00Z",
                "*/30 * * * *  | Europe/Berlin | 2027-03-28T00:20:00Z | 2027-03-28T00:30:00Z 2027-03-28T01:00:00Z 2027-03-28T01:30:00Z",
                "*/30 * * * *  | Europe/Berlin | 2027-10-31T00:20:00Z | 2027-10-31T00:30:00Z 2027-10-31T01:00:00Z 2027-10-31T01:30:00Z 2027-10-31T02:00:00Z",
                "30 * * * *    | Europe/Berlin | 2027-10-31T00:00:00Z | 2027-10-31T00:30:00Z 2027-10-31T01:30:00Z 2027-10-31T02:30:00Z",
                // Lord Howe moves by half an hour: 2027-04-04, 02:00 becomes 01:30 at 2027-04-03T15:00Z.
                "45 1 * * *    | Australia/Lord_Howe | 2027-04-03T00:00:00Z | 2027-04-03T14:45:00Z 2027-04-04T15:15:00Z",
                "45 * * * *    | Australia/Lord_Howe | 2027-04-03T14:00:00Z | 2027-04-03T14:45:00Z 2027-04-03T15:15:00Z 2027-04-03T16:15:00Z",
                // Beirut and Cairo change at midnight: 2027-03-28T00:00 in Beirut does not exist.
                "0 0 * * *     | Asia/Beirut   | 2027-03-27T12:00:00Z | 2027-03-27T22:00:00Z 2027-03-28T21:00:00Z",
            })
    void clocksAreChanged(String expression, String zone, String after, String expected) {
        Timing timing = cron(expression, zone);
        List<Instant> ticks = new ArrayList<>();
        Instant at = Instant.parse(after);
        for (int i = 0; i < expected.split(" ").length; i++) {
            at = timing.next(at);
            ticks.add(at);
        }
        assertThat(ticks.stream().map(Instant::toString)).containsExactly(expected.split(" "));
    }

    @ParameterizedTest
    @CsvSource({"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"})
    void aYearOfFixedHoursIsEveryLocalTimeOnce(String name) {
        ZoneId zone = ZoneId.of(name);
        for (String expression : List.of("30 2 * * *", "0 0 * * *", "15 1,2,3 * * MON-SAT", "59 23 L * *")) {
            CronExpression cron = CronExpression.parse(expression);
            Instant from = Instant.parse("2027-01-01T00:00:00Z");
            Instant until = Instant.parse("2028-01-01T00:00:00Z");
            // Independent of the code under test: walk over all local minutes, and ask java.time where each of them is.
            Set<Instant> expected = new TreeSet<>();
            LocalDateTime end = LocalDateTime.parse("2028-01-03T00:00");
            for (LocalDateTime local = LocalDateTime.parse("2026-12-30T00:00"); local.isBefore(end); ) {
                if (cron.matches(local)) {
                    ZonedDateTime first =
                            ZonedDateTime.ofLocal(local, zone, null).withEarlierOffsetAtOverlap();
                    Instant instant = first.toLocalDateTime().equals(local)
                            ? first.toInstant()
                            : zone.getRules()
                                    .nextTransition(first.toInstant().minusSeconds(7_200))
                                    .getInstant();
                    if (instant.isAfter(from) && !instant.isAfter(until)) {
                        expected.add(instant);
                    }
                }
                local = local.plusMinutes(1);
            }
            assertThat(ticks(new Timing.Cron(cron, zone), from, until))
                    .as("%s in %s", expression, name)
                    .containsExactlyElementsOf(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"})
    void aYearOfEveryHourIsEveryInstantWhoseLocalTimeMatches(String name) {
        ZoneId zone = ZoneId.of(name);
        for (String expression : List.of("*/5 * * * *", "30 * * * *", "0 */6 * * *", "7 * 1,15 * SUN")) {
            CronExpression cron = CronExpression.parse(expression);
            Instant from = Instant.parse("2027-01-01T00:00:00Z");
            Instant until = Instant.parse("2028-01-01T00:00:00Z");
            Set<Instant> expected = new LinkedHashSet<>();
            for (Instant instant = from.plusSeconds(60); !instant.isAfter(until); instant = instant.plusSeconds(60)) {
                if (cron.matches(LocalDateTime.ofInstant(instant, zone))) {
                    expected.add(instant);
                }
            }
            assertThat(ticks(new Timing.Cron(cron, zone), from, until))
                    .as("%s in %s", expression, name)
                    .containsExactlyElementsOf(expected);
        }
    }

    @Test
    void fiveMinutesAreNeitherSilentNorABurstWhenClocksAreChanged() {
        List<Instant> ticks = ticks(
                cron("*/5 * * * *", "Europe/Berlin"),
                Instant.parse("2027-01-01T00:00:00Z"),
                Instant.parse("2028-01-01T00:00:00Z"));
        for (int i = 1; i < ticks.size(); i++) {
            assertThat(Duration.between(ticks.get(i - 1), ticks.get(i))).isEqualTo(Duration.ofMinutes(5));
        }
    }

    @Test
    void anIntervalIsCountedFromItsAnchor() {
        Instant anchor = Instant.parse("2027-01-01T00:00:10Z");
        Timing every = new Timing.Every(Duration.ofMinutes(7), anchor);
        assertThat(every.next(anchor)).isEqualTo(anchor.plusSeconds(420));
        assertThat(every.next(anchor.minusMillis(1))).isEqualTo(anchor);
        assertThat(every.next(anchor.plusSeconds(421))).isEqualTo(anchor.plusSeconds(840));
        assertThat(every.next(anchor.minusSeconds(421))).isEqualTo(anchor.minusSeconds(420));
    }

    @Test
    void singleTimesComeInOrderAndEnd() {
        Instant first = Instant.parse("2027-01-01T00:00:00Z");
        Timing times = new Timing.Times(List.of(first.plusSeconds(9), first, first));
        assertThat(times.next(first.minusSeconds(1))).isEqualTo(first);
        assertThat(times.next(first)).isEqualTo(first.plusSeconds(9));
        assertThat(times.next(first.plusSeconds(9))).isNull();
    }

    @Test
    void whatCannotBeAIntervalIsRefused() {
        assertThatThrownBy(() -> Schedule.every("x", Duration.ofMillis(999))).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> Schedule.every("x", Duration.ZERO)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> Schedule.at("x", List.of())).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> Timing.time("tomorrow"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"tomorrow\"");
        assertThatThrownBy(() -> Timing.zone("Berlin"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"Berlin\"");
    }
}
