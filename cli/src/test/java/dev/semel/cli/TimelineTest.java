package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectRecord;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * The timeline of a task, its attempts and its effects, on a store in memory whose clock stands still between
 * transitions.
 */
class TimelineTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-07-01T12:00:00Z"));
    private final TaskStore store = new InMemoryTaskStore(now::get);
    private final EffectWorld world = new EffectWorld(store, () -> pass(Duration.ofMillis(10)));

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    private String drawn(TaskId id, int width) {
        return drawn(id, width, false, false);
    }

    /** Returns the output without the hour, which depends on the time zone of the test. */
    private String drawn(TaskId id, int width, boolean colors, boolean tokens) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Console console = Console.ofTerminal(
                InputStream.nullInputStream(),
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                System.err,
                Map.of("COLUMNS", Integer.toString(width)));
        if (!colors) {
            console.refuseColors();
        }
        TaskCommand.print(TaskHistory.of(store, world.task(id)), tokens, console);
        return bytes.toString(StandardCharsets.UTF_8)
                .replaceAll("2026-0\\d-\\d\\d \\d\\d:", "2026-07-.. ..:")
                .replaceAll("\\d\\d(:\\d\\d:\\d\\d\\.\\d\\d\\d)", "..$1");
    }

    private void resolve(TaskId id, String label, Resolution word) {
        EffectRecord effect = TaskHistory.of(store, world.task(id)).effects().stream()
                .filter(other -> other.id().label().equals(label))
                .findFirst()
                .orElseThrow();
        store.operate(List.of(new Operation.Resolve(effect.id(), effect.by(), word)));
    }

    @Test
    void eachEffectStandsBelowTheAttemptThatDealtWithItLast() {
        TaskId id = world.submit("payments", "charge-ORD-1");
        Lease first = world.claim("payments");
        world.done(first, "reserve", "{\"place\":17}");
        world.notDone(first, "mail#1", "The mailbox is full.");
        world.intend(first, "charge", Duration.ofHours(24));
        world.retry(first, "java.io.IOException: no answer from the bank\n\tat Bank.charge(Bank.java:7)");
        Lease second = world.claim("payments");
        world.park(second, "charge");
        assertThat(drawn(id, 80)).isEqualTo("""
                        Task        ID
                        State       waiting, parked: the outcome of effect "charge" is unknown
                        Resolve     semel effect resolve ID charge
                                      --attempt 2 --reason TEXT
                                      --done [RESULT] | --not-done | --give-up
                        Type        charge
                        Queue       payments
                        Tenant      default
                        Key         charge-ORD-1 (scope type, run 1)
                        Created     2026-07-.. ..:00:00
                        Input       {"order":"ORD-1"}

                        ATTEMPT  STARTED              TOOK    OUTCOME  WORKER
                        1        2026-07-.. ..:00:00  0.06 s  retried  worker-1
                        │        java.io.IOException: no answer from the bank
                        ├─ reserve  done      intended ..:00:00.020, settled ..:00:00.030, it ran
                        │                     result {"place":17}
                        └─ mail#1   not done  intended ..:00:00.040, settled ..:00:00.050, reported
                                              The mailbox is full.
                        2        2026-07-.. ..:00:00  0.01 s  parked   worker-1
                        │        Parked, because it is unknown whether effect "charge" happened: attempt
                        │        1 began it and left no outcome.
                        └─ charge   unknown   intended ..:00:00.060
                                              provider's window until 2026-07-.. ..:00:00
                        """.replace("ID", id.toString()));
    }

    @Test
    void aParkedTaskDiffersFromOneThatWaitsForSomethingElse() {
        TaskId id = parked();
        assertThat(drawn(id, 80)).contains("waiting, parked", "semel effect resolve " + id + " charge");
        resolve(id, "charge", new Resolution(Verdict.GIVE_UP, null, "ada", "the bank is gone"));
        assertThat(drawn(id, 80))
                .contains("State       failed\n", "given up by ada: the bank is gone")
                .doesNotContain("effect resolve");
        store.operate(List.of(new Operation.Redrive(id, 2)));
        assertThat(drawn(id, 80)).contains("State       pending\n").doesNotContain("effect resolve");
    }

    @Test
    void aTaskThatWaitsForItsMutexAfterItWasParkedIsNotParked() {
        TaskId id = world.submit("payments", null, "account-7");
        Lease first = world.claim("payments");
        world.intend(first, "charge");
        world.retry(first, "no answer");
        world.park(world.claim("payments"), "charge");
        assertThat(drawn(id, 80)).contains("waiting, parked");
        resolve(id, "charge", new Resolution(Verdict.GIVE_UP, null, "ada", "the bank is gone"));
        world.submit("payments", null, "account-7");
        world.claim("payments");
        store.operate(List.of(new Operation.Redrive(id, 2)));
        world.claimNothing("payments");
        assertThat(drawn(id, 80))
                .contains("State       waiting\n", "└─ charge  unknown ")
                .doesNotContain("effect resolve");
    }

    private TaskId parked() {
        TaskId id = world.submit("payments", null);
        Lease first = world.claim("payments");
        world.intend(first, "charge");
        world.retry(first, "no answer");
        world.park(world.claim("payments"), "charge");
        return id;
    }

    @Test
    void whatAPersonSaidIsShownWithTheResultThatWasGiven() {
        TaskId id = parked();
        resolve(id, "charge", new Resolution(Verdict.DONE, "{\"payment\":7}", "ada", "seen at the bank\nby phone"));
        assertThat(drawn(id, 80))
                .contains(
                        "State       pending\n",
                        "└─ charge  done  intended ..:00:00.020, settled ..:00:00.050, by a person\n",
                        "                 resolved as done by ada: seen at the bank\n",
                        "                 result {\"payment\":7}\n");
    }

    @Test
    void howAnOutcomeIsKnownIsSaid() {
        TaskId id = world.submit("payments", null);
        Lease lease = world.claim("payments");
        world.done(lease, "one", null, How.RAN);
        world.done(lease, "two", "1", How.PROBED);
        world.done(lease, "three", "1", How.ASSUMED);
        world.intend(lease, "four");
        assertThat(drawn(id, 80).lines())
                .contains(
                        "├─ one    done         intended ..:00:00.020, settled ..:00:00.030, it ran",
                        "├─ two    done         intended ..:00:00.040, settled ..:00:00.050, probed",
                        "├─ three  done         intended ..:00:00.060, settled ..:00:00.070, assumed",
                        "└─ four   in progress  intended ..:00:00.080");
    }

    @Test
    void tokensAreShownOnlyIfTheyAreAskedFor() {
        TaskId id = parked();
        String token =
                TaskHistory.of(store, world.task(id)).effects().getFirst().id().token();
        assertThat(drawn(id, 80)).doesNotContain(token);
        assertThat(drawn(id, 80, false, true)).contains("token " + token);
        assertThat(TaskJson.whole(TaskHistory.of(store, world.task(id)), false).toString())
                .doesNotContain(token);
    }

    @Test
    void coloursRepeatWhatTheWordsSay() {
        TaskId id = parked();
        String plain = drawn(id, 80);
        String colored = drawn(id, 80, true, false);
        assertThat(plain).doesNotContain("\u001b");
        assertThat(colored)
                .contains("\u001b[36mwaiting\u001b[0m", "\u001b[31munknown\u001b[0m", "\u001b[33mretried\u001b[0m");
        assertThat(colored.replaceAll("\u001b\\[\\d+m", "")).isEqualTo(plain);
    }

    @Test
    void everythingFitsTheWidthButNames() {
        TaskId id = world.submit("payments", null);
        Lease lease = world.claim("payments");
        String name = "a-name.of/many:parts-".repeat(4);
        world.intend(lease, name, Duration.ofHours(1));
        world.done(lease, "mail", "\"" + "x".repeat(300) + "\"");
        world.notDone(lease, "fax", "word ".repeat(60));
        world.retry(lease, "an error that is rather long ".repeat(5));
        for (int width : new int[] {60, 80, 120}) {
            assertThat(drawn(id, width).lines())
                    .allMatch(line -> line.length() <= width || line.equals("├─ " + name))
                    .contains("├─ " + name);
        }
        // Into a pipe nothing is cut.
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Console pipe = Console.of(
                InputStream.nullInputStream(),
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                System.err,
                Map.of());
        TaskCommand.print(TaskHistory.of(store, world.task(id)), false, pipe);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("x".repeat(300), "word ".repeat(59));
    }

    @Test
    void ofManyEffectsThoseThatAreNotDoneAreShown() {
        TaskId id = world.submit("payments", null);
        Lease lease = world.claim("payments");
        for (int i = 1; i <= 70; i++) {
            world.done(lease, "mail#" + i, null);
        }
        world.intend(lease, "charge");
        String drawn = drawn(id, 80);
        assertThat(drawn).contains("├─ mail#49 ", "├─ charge ", "└─ and 21 more effects, done; --json shows all");
        assertThat(drawn).doesNotContain("mail#50 ");
    }

    @Test
    void whatAnotherRunRecordedIsMarkedAsSuch() {
        TaskId first = world.submit("payments", "k");
        Lease lease = world.claim("payments");
        world.done(lease, "reserve", null);
        world.intend(lease, "charge", Duration.ofHours(24));
        world.fail(lease, "no answer");
        resolve(first, "charge", new Resolution(Verdict.NOT_DONE, null, "ada", "asked the bank: nothing there"));
        TaskId second = world.submit("payments", "k");
        Lease again = world.claim("payments");
        world.intend(again, "charge", Duration.ofHours(24));
        world.complete(again, "7");
        pass(Duration.ofHours(24));
        assertThat(drawn(first, 80)).endsWith("""
                        ATTEMPT  STARTED              TOOK    OUTCOME  WORKER
                        1        2026-07-.. ..:00:00  0.04 s  failed   worker-1
                        │        no answer
                        └─ reserve  done     intended ..:00:00.020, settled ..:00:00.030, it ran

                        By a later run (2), attempt 1 of task SECOND
                        └─ charge   unknown  intended ..:00:00.070
                                             provider's window until 2026-07-.. ..:00:00, passed
                                             before that resolved as not done by ada: asked the bank:
                                             nothing there
                        """.replace("SECOND", second.toString()));
        assertThat(drawn(second, 80))
                .contains("\n\nBy an earlier run (1), attempt 1 of task " + first + "\n└─ reserve  done ")
                .contains("\n\nATTEMPT ");
    }

    @Test
    void theJsonHasTheEffectsInTheOrderOfTheirIntents() {
        TaskId id = world.submit("payments", null);
        Lease lease = world.claim("payments");
        world.done(lease, "reserve", "{\"place\": 17}");
        world.intend(lease, "charge#3", Duration.ofHours(24));
        world.notDone(lease, "mail", "full");
        var json = Cli.MAPPER.readTree(
                TaskJson.whole(TaskHistory.of(store, world.task(id)), false).toString());
        assertThat(json.path("effects").toString())
                .isEqualTo(
                        ("[{\"effect\":\"reserve\",\"name\":\"reserve\",\"index\":0,\"state\":\"done\",\"task_id\":\"ID\","
                                        + "\"attempt\":1,\"lineage\":\"ID\",\"intended_at\":\"2026-07-01T12:00:00.020Z\","
                                        + "\"settled_at\":\"2026-07-01T12:00:00.030Z\",\"how\":\"ran\",\"result\":{\"place\":17}},"
                                        + "{\"effect\":\"charge#3\",\"name\":\"charge\",\"index\":3,\"state\":\"in_progress\","
                                        + "\"task_id\":\"ID\",\"attempt\":1,\"lineage\":\"ID\","
                                        + "\"intended_at\":\"2026-07-01T12:00:00.040Z\",\"window_end\":\"2026-07-02T12:00:00.040Z\","
                                        + "\"window_passed\":false},"
                                        + "{\"effect\":\"mail\",\"name\":\"mail\",\"index\":0,\"state\":\"not_done\",\"task_id\":\"ID\","
                                        + "\"attempt\":1,\"lineage\":\"ID\",\"intended_at\":\"2026-07-01T12:00:00.050Z\","
                                        + "\"settled_at\":\"2026-07-01T12:00:00.060Z\",\"how\":\"ran\",\"note\":\"full\"}]")
                                .replace("ID", id.toString()));
        assertThat(json.has("parked_for")).isFalse();
        Lease next = parkedAgain(lease);
        assertThat(Cli.MAPPER
                        .readTree(TaskJson.whole(TaskHistory.of(store, world.task(next.taskId())), false)
                                .toString())
                        .path("parked_for")
                        .asString())
                .isEqualTo("charge#3");
    }

    private Lease parkedAgain(Lease lease) {
        world.retry(lease, "no answer");
        Lease next = world.claim("payments");
        world.park(next, "charge#3");
        return next;
    }
}
