package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class ScheduleTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    private void add(String name, String... options) {
        String[] all = new String[options.length + 5];
        all[0] = "schedule";
        all[1] = "add";
        all[2] = name;
        all[3] = "--type";
        all[4] = "report";
        System.arraycopy(options, 0, all, 5, options.length);
        cli.run(all).exits(0);
    }

    @Test
    void aScheduleIsAddedListedShownAndRemoved() {
        add("nightly", "--cron", "0 3 * * *", "--zone", "Europe/Berlin", "--queue", "reports");
        add("ping", "--every", "30s", "--overlap", "allow");
        JsonNode all = cli.json("schedule", "list").path("schedules");
        assertThat(all.valueStream().map(one -> one.path("schedule").asString()))
                .containsExactly("nightly", "ping");
        JsonNode nightly = cli.json("schedule", "show", "nightly");
        assertThat(nightly.path("timing").asString()).isEqualTo("cron 0 3 * * * Europe/Berlin");
        assertThat(nightly.path("queue").asString()).isEqualTo("reports");
        assertThat(nightly.path("overlap").asString()).isEqualTo("skip");
        assertThat(Instant.parse(nightly.path("next_at").asString())).isAfter(Instant.now());
        assertThat(nightly.path("ticks").isEmpty()).isTrue();
        assertThat(cli.run("schedule", "list").exits(0).out()).contains("nightly", "every 30s");
        assertThat(cli.run("schedule", "show", "nightly").exits(0).out())
                .contains("Europe/Berlin", "by hand", "No ticks yet.");
        assertThat(cli.run("schedule", "remove", "ping").exits(0).out()).contains("was removed");
        cli.run("schedule", "show", "ping").exits(5);
        assertThat(cli.json("schedule", "list", "--tenant", "south")
                        .path("schedules")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void theComingTicksAreShownInLocalTimeAndUtc() {
        add("nightly", "--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--start", "2027-03-27T00:00:00Z");
        assertThat(cli.run("schedule", "next", "nightly", "--count", "3")
                        .exits(0)
                        .out())
                .contains(
                        "Europe/Berlin",
                        "UTC",
                        "2027-03-27 02:30:00 +01:00",
                        "2027-03-28 03:00:00 +02:00",
                        "2027-03-28 01:00:00Z",
                        "2027-03-29 00:30:00Z");
        assertThat(cli.json("schedule", "next", "nightly", "--count", "2")
                        .path("ticks")
                        .valueStream()
                        .map(JsonNode::asString))
                .containsExactly("2027-03-27T01:30:00Z", "2027-03-28T01:00:00Z");
    }

    @Test
    void aPauseHasAReasonAndATriggerCreatesATask() {
        add("nightly", "--cron", "@daily");
        cli.run("schedule", "pause", "nightly").exits(2);
        assertThat(cli.run("schedule", "pause", "nightly", "--reason", "moving house")
                        .exits(0)
                        .out())
                .contains("paused since", "moving house");
        assertThat(cli.json("schedule", "show", "nightly").path("pause_reason").asString())
                .isEqualTo("moving house");
        assertThat(cli.run("schedule", "resume", "nightly").exits(0).out()).contains("next tick");
        String id = cli.json("schedule", "trigger", "nightly").path("task_id").asString();
        assertThat(cli.json("task", "show", id).path("type").asString()).isEqualTo("report");
        cli.run("schedule", "trigger", "nightly").exits(2);
        assertThat(cli.run("schedule", "trigger", "nightly", "--overlapping")
                        .exits(0)
                        .out())
                .contains("created task");
        assertThat(cli.run("schedule", "show", "nightly").exits(0).out()).contains("triggered", id, "pending");
    }

    @Test
    void anExistingScheduleIsChangedOnlyOnRequest() {
        add("nightly", "--cron", "@daily");
        cli.run("schedule", "add", "nightly", "--cron", "@hourly", "--type", "report")
                .exits(4);
        add("nightly", "--cron", "@hourly", "--replace");
        assertThat(cli.json("schedule", "show", "nightly").path("timing").asString())
                .isEqualTo("cron @hourly UTC");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cron, 0 25 * * *                 | hours are 0 to 23, but got \"25\" at column 3",
                "--cron, 0 0 31 4 *                 | never fires",
                "--cron, @daily, --zone, Berlin     | \"Berlin\"",
                "--cron, @daily, --every, 5m        | exactly one of",
                "--every, 5m, --zone, UTC           | Only a cron expression has a time zone",
                "--every, 10ms                      | at least 1 s",
                "--at, tomorrow                     | \"tomorrow\"",
                "--every, 5m, --overlap, queue      | skip, wait, replace or allow",
                "--every, 5m, --catch-up, some      | skip, last, or all",
                "--every, 5m, --input, {            | JSON",
                "--every, 5m, --input, \"${now}\"   | ${now}",
                "--every, 5m, --end, 2020-01-01T00:00:00Z, --start, 2021-01-01T00:00:00Z | start before it ends",
            })
    void wrongUsageIsRefusedAndStoresNothing(String options, String message) {
        String[] given = options.split(", ", -1);
        String[] all = new String[given.length + 5];
        System.arraycopy(new String[] {"schedule", "add", "x", "--type", "t"}, 0, all, 0, 5);
        System.arraycopy(given, 0, all, 5, given.length);
        assertThat(cli.run(all).exits(2).err()).contains(message);
        add("other", "--cron", "@daily");
        cli.run("schedule", "show", "x").exits(5);
    }
}
