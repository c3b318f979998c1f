package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Applied;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.Submitting;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What goes in comes out: names, options, times, and documents of all characters and sizes. */
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
    @DisplayName("Keys and inputs of all characters come back as they were")
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
            Lease lease =
                    claim(Wish.from(Draft.QUEUE).limit(1)).tasks().getFirst().lease();
            applied(new Transition.Retry(lease, Duration.ofDays(1), error));
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
        Lease lease = claim(Wish.from(Draft.QUEUE).limit(1)).tasks().getFirst().lease();
        applied(new Transition.Retry(lease, Duration.ZERO, odd));
        String kept = read(id).progress().lastError();
        assertThat(kept).isEqualTo("a NUL \uFFFD, a half \uFFFD, and the other half \uFFFD alone");
        Lease next = claim(Wish.from(Draft.QUEUE).limit(1)).tasks().getFirst().lease();
        applied(new Transition.Fail(next, false, "x".repeat(Limits.ERROR_LENGTH - 1) + "\uD83D\uDE00"));
        assertThat(read(id).progress().lastError()).contains("x\uFFFD… (1 characters cut)");
    }

    @Test
    @DisplayName("An input and a result of just under 1 MiB are kept")
    void bigDocumentsAreKept() {
        String big = "\"" + "ä".repeat((Limits.DOCUMENT_BYTES - 4) / 2) + "\"";
        TaskId id = create(KEYED.input(big));
        Lease lease = claimOne();
        assertThat(read(id).input()).isEqualTo(big);
        applied(new Transition.Complete(lease, big));
        assertThat(((Returned) submit(KEYED.input(big))).existing().result()).isEqualTo(big);
    }

    @Test
    @DisplayName("Nothing is an empty batch; too much is an error that changes nothing")
    void aBatchHasALimit() {
        assertThat(store.submit(List.of())).isEmpty();
        assertThat(store.apply(List.of())).isEmpty();
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
        Lease lease = new Lease(unknown, 1);
        assertThat(store.apply(List.of(
                        new Transition.Complete(lease, null),
                        new Transition.Extend(lease, Wish.LEASE),
                        new Transition.Cancel(unknown),
                        new Transition.Redrive(unknown, 1),
                        new Transition.ReleaseKey(KEYED.identity(), unknown))))
                .containsOnly(Applied.NOT_FOUND);
    }

    private static String inputOf(String text) {
        return "{\"text\":\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
    }
}
