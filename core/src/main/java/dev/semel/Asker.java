package dev.semel;

import dev.semel.store.History;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.Limits;
import dev.semel.task.ResultNotReady;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.workflow.AskRejected;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for the answer of a workflow to a question that it has accepted. */
final class Asker {

    // No store notifies of answers. What is looked up is what is new in one inbox, soon at first and then less often.
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

    private final TaskStore store;
    private final TaskId workflow;
    private final String question;
    private int known;

    Asker(TaskStore store, TaskId workflow, String question) {
        this.store = store;
        this.workflow = workflow;
        this.question = question;
    }

    /** Returns the answer in JSON; empty if it is null. */
    Optional<String> await(Duration timeout) {
        long end = System.nanoTime() + Limits.boundedWait(timeout).toNanos();
        long pause = FIRST_PAUSE;
        while (true) {
            // Read before the inbox, so that an answer that the workflow gave with its end is not missed.
            Task task = store.find(List.of(workflow)).get(workflow);
            Optional<InboxEntry> answer = look(workflow, known);
            if (answer.isPresent()) {
                return read(answer.get());
            }
            if (task == null || !task.state().isOpen()) {
                return read(ofEarlierRun(task).orElseThrow(() -> ended(task)));
            }
            long left = end - System.nanoTime();
            if (left <= 0 || isInterrupted(Math.min(pause, left))) {
                throw notReady(timeout);
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
    }

    private Optional<InboxEntry> look(TaskId task, int from) {
        History news = Objects.requireNonNull(
                store.histories(List.of(new History.Query(task, Integer.MAX_VALUE, from)))
                        .get(task),
                "every query is answered");
        known = Math.max(known, news.newestEntry());
        String key = NewLine.Answer.entryKey(question);
        return news.inbox().stream().filter(entry -> key.equals(entry.key())).findFirst();
    }

    /** The answer of an earlier run, if that has accepted the question: then the later one does not get it. */
    private Optional<InboxEntry> ofEarlierRun(@Nullable Task task) {
        if (task == null || task.identity() == null || task.run() == 1) {
            return Optional.empty();
        }
        return store.list(TaskQuery.of(task.identity(), TaskQuery.MAX_LIMIT)).tasks().stream()
                .filter(run -> !run.id().equals(workflow))
                .flatMap(run -> look(run.id(), 0).stream())
                .findFirst();
    }

    private static Optional<String> read(InboxEntry answer) {
        if (answer.error() != null) {
            throw new AskRejected("The workflow rejected the question: " + answer.error());
        }
        return Optional.ofNullable(answer.document());
    }

    private TaskAlreadyFinished ended(@Nullable Task task) {
        Instant finished = task == null ? null : task.progress().finishedAt();
        return new TaskAlreadyFinished(
                "The workflow (task " + workflow + ") ended"
                        + (task == null ? "" : " as " + task.state().word()) + " without answering.",
                workflow,
                task == null ? TaskState.CANCELLED : task.state(),
                finished == null ? Instant.EPOCH : finished);
    }

    private ResultNotReady notReady(Duration timeout) {
        return new ResultNotReady(
                "The workflow (task " + workflow + ") has not answered within " + Durations.shown(timeout)
                        + ". The question stays: ask again with the same key.",
                workflow);
    }

    private static boolean isInterrupted(long nanos) {
        try {
            boolean unused = new CountDownLatch(1).await(nanos, TimeUnit.NANOSECONDS);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
