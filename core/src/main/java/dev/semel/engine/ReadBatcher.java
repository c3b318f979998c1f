package dev.semel.engine;

import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Reads what several handlers of a worker ask at the same time with one call to the store. The first read is sent at once; reads that are
 * asked while it is under way form the next call. Each workflow reads its history when it is claimed, and a call for each of them was a
 * third of all work of the PostgreSQL server for workflows with queued steps.
 *
 * <p>A read is repeated until the store answers, as a settlement is, so that an outage does not fail the attempt. The next calls are smaller then:
 * the reason may be an answer that is too large, and one such read must not hold up the others. A call that fails another way is
 * divided, so that only the read that causes it fails. Used by steps of the host only.
 *
 * @param <Q> the class of the questions
 * @param <A> the class of the answers
 */
final class ReadBatcher<Q, A> {

    // A history may have 64 MiB, but what is read after the first turn is small.
    private static final int MOST_READS = 100;

    // Several calls, so that a large answer does not delay all others.
    private static final int MOST_CALLS = 4;

    private final WorkerHost host;
    private final Function<Collection<Q>, Map<TaskId, A>> read;
    private final Function<Q, TaskId> task;
    private final Optional<A> missing;
    private final Deque<Entry<Q, A>> waiting = new ArrayDeque<>();
    private int calls;
    private int most = MOST_READS;

    /**
     * A question.
     *
     * @param backoff how long it waits if the store does not answer
     */
    private record Entry<Q, A>(Q question, CompletableFuture<A> answer, Duration backoff) {

        Entry<Q, A> later() {
            return new Entry<>(question, answer, Outbox.longer(backoff));
        }
    }

    /**
     * Creates a batcher.
     *
     * @param read asks the store
     * @param task returns the task that a question is about
     * @param missing the answer for a task that the store does not mention; empty if the store has to mention all
     */
    ReadBatcher(
            WorkerHost host,
            Function<Collection<Q>, Map<TaskId, A>> read,
            Function<Q, TaskId> task,
            Optional<A> missing) {
        this.host = host;
        this.read = read;
        this.task = task;
        this.missing = missing;
    }

    /** Asks a question; its answer completes the future. */
    void ask(Q question, CompletableFuture<A> answer) {
        waiting.add(new Entry<>(question, answer, Outbox.FIRST_BACKOFF));
        send();
    }

    private void send() {
        while (!waiting.isEmpty() && (calls == 0 || (calls < MOST_CALLS && waiting.size() >= Batcher.ENOUGH))) {
            calls++;
            call(next());
        }
    }

    /** Takes the questions of the next call, each about another task: answers are found by the task. */
    private List<Entry<Q, A>> next() {
        List<Entry<Q, A>> batch = new ArrayList<>();
        Set<TaskId> tasks = new HashSet<>();
        while (!waiting.isEmpty()
                && batch.size() < most
                && tasks.add(task.apply(waiting.element().question()))) {
            batch.add(waiting.remove());
        }
        return batch;
    }

    private void call(List<Entry<Q, A>> batch) {
        List<Q> questions = batch.stream().map(Entry::question).toList();
        host.call(
                () -> read.apply(questions),
                answers -> {
                    most = Math.min(MOST_READS, most * 2);
                    ended();
                    for (Entry<Q, A> entry : batch) {
                        answer(entry, answers);
                    }
                },
                thrown -> {
                    if (thrown instanceof StoreUnavailable || thrown instanceof StoreUnusable) {
                        most = Math.max(1, batch.size() / 2);
                        host.later(batch.getFirst().backoff(), () -> {
                            batch.reversed().forEach(entry -> waiting.addFirst(entry.later()));
                            send();
                        });
                        ended();
                    } else if (batch.size() == 1) {
                        ended();
                        batch.getFirst().answer().completeExceptionally(thrown);
                    } else {
                        calls++;
                        call(batch.subList(0, batch.size() / 2));
                        call(batch.subList(batch.size() / 2, batch.size()));
                    }
                });
    }

    private void answer(Entry<Q, A> entry, Map<TaskId, A> answers) {
        TaskId id = task.apply(entry.question());
        Optional.ofNullable(answers.get(id))
                .or(() -> missing)
                .ifPresentOrElse(
                        entry.answer()::complete,
                        () -> entry.answer()
                                .completeExceptionally(new IllegalStateException(
                                        "Expected the store to answer for each task, but it did not for " + id)));
    }

    private void ended() {
        calls--;
        send();
    }
}
