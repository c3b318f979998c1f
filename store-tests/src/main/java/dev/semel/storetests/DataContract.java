package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Claims;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.Submitting;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Data is returned as it was stored: names, options, times, and documents of all characters and sizes. */
public abstract class DataContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k");

    /** For subclasses. */
    protected DataContract() {}

    @Test
    @DisplayName("What is submitted is stored as it is: names, options, start and record")
    void everythingSubmittedIsStored() {
        Instant now = clock.instant();
        TaskOptions options = new TaskOptions(
                7, RetryPolicy.delays(Duration.ofMillis(1_500), Duration.ofDays(1)), Duration.ofMillis(90_001));
        Draft draft = new Draft(
                "tenant-1",
                "queue/1",
                "type:1",
                "{\"a\":[1, 2.50, null]}",
                new NewTask.Start.At(now.plus(Duration.ofDays(3))),
                options,
                "key",
                Scope.custom("scope.1"),
                Duration.ofDays(36_525),
                ReusePolicy.never());
        TaskId id = create(draft);
        assertThat(read(id))
                .isEqualTo(new Task(
                        id,
                        "tenant-1",
                        "queue/1",
                        "type:1",
                        "{\"a\":[1, 2.50, null]}",
                        options,
                        draft.identity(),
                        1,
                        id,
                        id,
                        now,
                        new Task.Progress(
                                TaskState.PENDING, 0, 0, 0, now.plus(Duration.ofDays(3)), false, null, null, null)));
        assertThat(record(draft))
                .isEqualTo(new KeyRecord(
                        draft.identity(),
                        id,
                        "type:1",
                        draft.hash(),
                        1,
                        id,
                        now,
                        now.plus(Duration.ofDays(36_525)),
                        false,
                        TaskState.PENDING,
                        null,
                        false,
                        0,
                        null));
        TaskOptions exponential = new TaskOptions(0, RetryPolicy.standard(), null);
        assertThat(read(create(Draft.plain().options(exponential))).options()).isEqualTo(exponential);
    }

    @Test
    @DisplayName("A trace context is kept with the task, through claim, retry and find, and changes no input hash")
    void aTraceContextIsKept() {
        String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        for (TraceContext trace : List.of(
                new TraceContext(parent, null), new TraceContext(parent, "vendor=a|b,other=" + "x".repeat(490)))) {
            for (TaskOptions options : List.of(
                    new TaskOptions(0, null, null, null, trace),
                    new TaskOptions(3, RetryPolicy.standard(), Duration.ofSeconds(9), "m", trace))) {
                Draft draft = Draft.keyed("key-" + options.hashCode());
                TaskId id = create(draft.options(options));
                assertThat(read(id).options()).isEqualTo(options);
                assertThat(record(draft).inputHash()).isEqualTo(draft.hash());
                for (int attempt = 1; attempt <= 2; attempt++) {
                    Claims.Claimed claimed =
                            claim(ClaimDraft.from(Draft.QUEUE)).tasks().getFirst();
                    assertThat(claimed.task().options()).isEqualTo(options);
                    assertThat(read(id).options()).isEqualTo(options);
                    Settlement end = attempt == 1
                            ? new Settlement.Retry(claimed.lease(), Duration.ZERO, "once more")
                            : new Settlement.Complete(claimed.lease(), null);
                    assertThat(store.settle(List.of(end))).containsExactly(Settled.APPLIED);
                }
                assertThat(read(id).options()).isEqualTo(options);
            }
        }
        // Enough for the ways that stores have for large batches.
        TaskOptions traced = new TaskOptions(0, null, null, null, new TraceContext(parent, "a=b"));
        List<NewTask> many = tasks(1_000, Draft.plain().options(traced));
        store.submit(many);
        assertThat(store.find(many.stream().map(NewTask::id).toList()).values())
                .hasSize(1_000)
                .allSatisfy(task -> assertThat(task.options()).isEqualTo(traced));
    }

    @Test
    @DisplayName("Times are kept to the millisecond; a start in the past is now")
    void timesAreKeptToTheMillisecond() {
        Instant millis = clock.instant();
        clock.advance(Duration.ofNanos(999_999));
        TaskId past = create(KEYED.start(new NewTask.Start.At(Instant.EPOCH)));
        assertThat(read(past).createdAt()).isEqualTo(millis);
        assertThat(read(past).progress().dueAt()).isEqualTo(millis);
        TaskId later = create(Draft.plain().delay(Duration.ofNanos(1_999_999)));
        assertThat(read(later).progress().dueAt()).isEqualTo(millis.plus(MILLISECOND));
    }

    @Test
    @DisplayName("Keys and inputs of all characters are returned unchanged")
    void allCharactersAreKept() {
        List<String> texts = List.of(
                "plain",
                "it's \"quoted\" `back` 'n' \\ / %_?*[]{}();--",
                "ünïcödé ß ŀ Ω ж 中文 日本語 한국어 עברית العربية",
                "\uD83D\uDE00 \uD83D\uDC69\u200D\uD83D\uDCBB \uD834\uDD1E",
                "e\u0301 is not \u00e9",
                "\u00e9 is not e\u0301",
                "\u200B\u202E\uFEFF\uFFFD",
                " leading and trailing ",
                "x".repeat(Limits.KEY_LENGTH),
                "\uD83D\uDE00".repeat(Limits.KEY_LENGTH / 2));
        List<TaskId> created = new ArrayList<>();
        for (String text : texts) {
            created.add(create(Draft.keyed(text).input(inputOf(text)).type("t")));
        }
        for (int i = 0; i < texts.size(); i++) {
            Task task = read(created.get(i));
            Identity identity = Draft.keyed(texts.get(i)).type("t").identity();
            assertThat(task.identity()).isEqualTo(identity);
            assertThat(task.input()).isEqualTo(inputOf(texts.get(i)));
            assertThat(store.record(identity)).map(KeyRecord::taskId).contains(task.id());
            String error = "failed on " + texts.get(i);
            Lease lease = claim(ClaimDraft.from(Draft.QUEUE).limit(1))
                    .tasks()
                    .getFirst()
                    .lease();
            applied(new Settlement.Retry(lease, Duration.ofDays(1), error));
            assertThat(read(lease.taskId()).progress().lastError()).contains("failed on ");
            assertThat(store.attempts(lease.taskId()).getFirst().error())
                    .isEqualTo(read(lease.taskId()).progress().lastError());
        }
    }

    @Test
    @DisplayName(
            "An error that no database takes as text is kept all the same: it must not keep its attempt from its end")
    void anyErrorIsKept() {
        String odd = "a NUL \0, a half \uD800, and the other half \uDC00 alone";
        TaskId id = create(KEYED);
        Lease lease =
                claim(ClaimDraft.from(Draft.QUEUE).limit(1)).tasks().getFirst().lease();
        applied(new Settlement.Retry(lease, Duration.ZERO, odd));
        String kept = read(id).progress().lastError();
        assertThat(kept).isEqualTo("a NUL \uFFFD, a half \uFFFD, and the other half \uFFFD alone");
        Lease next =
                claim(ClaimDraft.from(Draft.QUEUE).limit(1)).tasks().getFirst().lease();
        applied(new Settlement.Fail(next, false, "x".repeat(Limits.ERROR_LENGTH - 1) + "\uD83D\uDE00"));
        assertThat(read(id).progress().lastError()).contains("x\uFFFD… (1 characters cut)");
    }

    @Test
    @DisplayName("An input and a result of just under 1 MiB are kept")
    void bigDocumentsAreKept() {
        String big = "\"" + "ä".repeat((Limits.DOCUMENT_BYTES - 4) / 2) + "\"";
        TaskId id = create(KEYED.input(big));
        Lease lease = claimOne();
        assertThat(read(id).input()).isEqualTo(big);
        applied(new Settlement.Complete(lease, big));
        assertThat(((Returned) submit(KEYED.input(big))).existing().result()).isEqualTo(big);
    }

    @Test
    @DisplayName("Nothing is an empty batch; too much is an error that changes nothing")
    void aBatchHasALimit() {
        assertThat(store.submit(List.of())).isEmpty();
        assertThat(store.settle(List.of())).isEmpty();
        assertThat(store.operate(List.of())).isEmpty();
        assertThat(store.find(List.of())).isEmpty();
        List<NewTask> tooMany = tasks(Submitting.MAX_BATCH + 1, Draft.plain());
        assertThatThrownBy(() -> store.submit(tooMany)).isInstanceOf(InvalidInput.class);
        assertThat(everything().tasks()).isEmpty();
    }

    @Test
    @DisplayName("What was never stored is not there")
    void theUnknownIsNotThere() {
        TaskId unknown = ids.next();
        assertThat(store.find(List.of(unknown))).isEmpty();
        assertThat(store.attempts(unknown)).isEmpty();
        assertThat(store.record(KEYED.identity())).isEmpty();
        Lease lease = lease(unknown, 1);
        assertThat(store.settle(
                        List.of(new Settlement.Complete(lease, null), new Settlement.Extend(lease, ClaimDraft.LEASE))))
                .containsOnly(Settled.NOT_FOUND);
        assertThat(store.operate(List.of(
                        new Operation.Cancel(unknown),
                        new Operation.Redrive(unknown, 1),
                        new Operation.ReleaseKey(KEYED.identity(), unknown))))
                .containsOnly(Operated.NOT_FOUND);
    }

    private static String inputOf(String text) {
        return "{\"text\":\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
    }
}
