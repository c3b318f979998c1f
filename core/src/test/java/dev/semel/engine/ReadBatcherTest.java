package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadBatcherTest {

    private static final Duration ANSWERED = Duration.ofMillis(1);

    private final ManualHost host = new ManualHost();
    private final List<Integer> sizes = new ArrayList<>();
    private final List<RuntimeException> failures = new ArrayList<>();
    private @Nullable TaskId neverAnswered;
    private final ReadBatcher<TaskId, String> batcher =
            new ReadBatcher<>(host, this::read, id -> id, Optional.of("none"));

    private static TaskId id(int number) {
        return new TaskId(new UUID(0, number));
    }

    private Map<TaskId, String> read(Collection<TaskId> ids) {
        sizes.add(ids.size());
        if (!failures.isEmpty()) {
            throw failures.removeFirst();
        }
        if (neverAnswered != null && ids.contains(neverAnswered)) {
            throw new StoreUnavailable("the answer is too large");
        }
        if (ids.contains(id(13))) {
            throw new IllegalArgumentException("unreadable");
        }
        Map<TaskId, String> answers = new HashMap<>();
        ids.forEach(id -> answers.put(id, "read " + id));
        answers.remove(id(99));
        return answers;
    }

    private CompletableFuture<String> ask(int number) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        host.execute(() -> batcher.ask(id(number), answer));
        return answer;
    }

    @Test
    void readsThatAreAskedDuringACallAreTheNextCall() {
        CompletableFuture<String> first = ask(1);
        CompletableFuture<String> second = ask(2);
        CompletableFuture<String> third = ask(3);
        host.pass(ANSWERED);
        assertThat(first).isCompletedWithValue("read " + id(1));
        assertThat(second).isNotDone();
        host.pass(ANSWERED);
        assertThat(second).isCompletedWithValue("read " + id(2));
        assertThat(third).isCompletedWithValue("read " + id(3));
        assertThat(sizes).containsExactly(1, 2);
    }

    @Test
    void manyReadsDoNotWaitForTheFirstCall() {
        CompletableFuture<String> first = ask(1);
        List<CompletableFuture<String>> others = new ArrayList<>();
        for (int i = 20; i < 20 + Batcher.ENOUGH; i++) {
            others.add(ask(i));
        }
        host.pass(ANSWERED);
        assertThat(first).isDone();
        assertThat(others).allMatch(CompletableFuture::isDone);
        assertThat(sizes).containsExactly(1, Batcher.ENOUGH);
    }

    @Test
    void twoReadsOfOneTaskAreTwoCalls() {
        CompletableFuture<String> first = ask(1);
        CompletableFuture<String> second = ask(2);
        CompletableFuture<String> again = ask(2);
        host.pass(ANSWERED.multipliedBy(3));
        assertThat(first).isDone();
        assertThat(second).isCompletedWithValue("read " + id(2));
        assertThat(again).isCompletedWithValue("read " + id(2));
        assertThat(sizes).containsExactly(1, 1, 1);
    }

    @Test
    void aTaskThatTheStoreDoesNotMentionGetsTheStandardAnswer() {
        CompletableFuture<String> answer = ask(99);
        host.pass(ANSWERED);
        assertThat(answer).isCompletedWithValue("none");
    }

    @Test
    void anOutageRepeatsTheCall() {
        failures.add(new StoreUnavailable("down"));
        failures.add(new StoreUnavailable("still down"));
        CompletableFuture<String> answer = ask(1);
        CompletableFuture<String> next = ask(2);
        host.pass(Duration.ofSeconds(1));
        assertThat(answer).isCompletedWithValue("read " + id(1));
        assertThat(next).isCompletedWithValue("read " + id(2));
        assertThat(sizes).containsExactly(1, 1, 1, 1);
    }

    @Test
    void aReadThatTheStoreNeverAnswersDoesNotHoldUpTheOthers() {
        CompletableFuture<String> first = ask(1);
        CompletableFuture<String> before = ask(11);
        CompletableFuture<String> tooLarge = ask(12);
        CompletableFuture<String> behind = ask(14);
        neverAnswered = id(12);
        host.pass(Duration.ofSeconds(10));
        assertThat(first).isDone();
        assertThat(before).isCompletedWithValue("read " + id(11));
        assertThat(behind).isCompletedWithValue("read " + id(14));
        assertThat(tooLarge).isNotDone();
        CompletableFuture<String> later = ask(15);
        host.pass(ANSWERED);
        assertThat(later).isCompletedWithValue("read " + id(15));
        neverAnswered = null;
        host.pass(Duration.ofMinutes(1));
        assertThat(tooLarge).isCompletedWithValue("read " + id(12));
    }

    @Test
    void aReadThatFailsDoesNotFailItsCompany() {
        CompletableFuture<String> first = ask(1);
        CompletableFuture<String> before = ask(12);
        CompletableFuture<String> failing = ask(13);
        CompletableFuture<String> behind = ask(14);
        host.pass(Duration.ofSeconds(1));
        assertThat(first).isDone();
        assertThat(before).isCompletedWithValue("read " + id(12));
        assertThat(behind).isCompletedWithValue("read " + id(14));
        assertThatThrownBy(failing::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(ask(15)).isNotDone();
        host.pass(ANSWERED);
        assertThat(sizes.getLast()).isEqualTo(1);
    }
}
