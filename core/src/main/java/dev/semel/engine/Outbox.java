package dev.semel.engine;

import dev.semel.store.EffectOutcome;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.FailureText;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The queue of settlements that a worker sends to the store: the ends of attempts, and the intents and outcomes of
 * effects. Settlements are sent in the order in which they were put in, in batches, one call at a time. A call is
 * repeated until the store answers it; settlements that are put in meanwhile form the next batch. A settlement that the
 * store rejects for as long as a lease lasts, with an error that is not an outage of the store, is discarded, so that
 * it does not block all others forever. Used by steps of the host only.
 *
 * <p>A settlement that can wait a moment is sent with the next one. So the outcome of an effect shares a commit with
 * the intent of the next effect or with the end of the attempt, and an effect costs one commit instead of two.
 */
final class Outbox {

    private static final SafeLogger LOG = SafeLogger.of(Outbox.class);

    private static final int MAX_SETTLEMENTS = 1_000;

    // Bounds the results of one call: a thousand results of the largest size would not fit into a small heap.
    private static final long MOST_BYTES = 8L << 20;

    static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);

    /** How long a settlement waits for others to share a commit with. */
    static final Duration SOON = Duration.ofMillis(10);

    private final TaskStore store;
    private final WorkerHost host;
    private final String worker;
    private final Duration patience;
    private final Runnable answered;

    private final Deque<Entry> entries = new ArrayDeque<>();
    private final List<Runnable> afterBatch = new ArrayList<>();
    private List<Entry> underWay = List.of();
    private boolean sending;
    private boolean wanted;
    private boolean awaitsCompany;
    private Duration backoff = FIRST_BACKOFF;

    /**
     * Settlements that are sent in one call, in order.
     *
     * @param answered gets the answer to the last one
     */
    private record Entry(List<Settlement> settlements, Consumer<Settled> answered) {

        long bytes() {
            return settlements.stream().mapToLong(Outbox::size).sum();
        }
    }

    /**
     * Creates an empty outbox.
     *
     * @param patience how long a settlement is repeated that the store rejects with an error
     * @param answered called after each batch of answers
     */
    Outbox(TaskStore store, WorkerHost host, String worker, Duration patience, Runnable answered) {
        this.store = store;
        this.host = host;
        this.worker = worker;
        this.patience = patience;
        this.answered = answered;
    }

    /** Puts in a settlement that the next {@link #send} sends. */
    void put(Settlement settlement, Consumer<Settled> answer) {
        put(List.of(settlement), answer);
    }

    /**
     * Puts in settlements of one attempt that the next {@link #send} sends together: what a workflow adds to its history, and the wait that
     * follows.
     *
     * @param answer gets the answer to the last one
     */
    void put(List<Settlement> settlements, Consumer<Settled> answer) {
        entries.add(new Entry(settlements, answer));
        wanted = true;
    }

    /** Puts in a settlement that is sent with the next one, or by itself after {@link #SOON}. */
    void putSoon(Settlement settlement, Consumer<Settled> answer) {
        entries.add(new Entry(List.of(settlement), answer));
        if (!awaitsCompany) {
            awaitsCompany = true;
            host.later(SOON, () -> {
                awaitsCompany = false;
                flush();
            });
        }
    }

    /** Sends all settlements, including those that can wait. */
    void flush() {
        wanted |= !entries.isEmpty();
        send();
    }

    /** Sends the next batch, if a settlement in the outbox must not wait and no call is in flight. */
    void send() {
        if (sending || !wanted) {
            return;
        }
        List<Entry> batch = new ArrayList<>();
        int count = 0;
        long bytes = 0;
        while (count < MAX_SETTLEMENTS && bytes < MOST_BYTES && !entries.isEmpty()) {
            Entry entry = entries.remove();
            count += entry.settlements.size();
            bytes += entry.bytes();
            batch.add(entry);
        }
        wanted = !entries.isEmpty();
        if (batch.isEmpty()) {
            return;
        }
        sending = true;
        underWay = batch;
        send(batch);
    }

    private void send(List<Entry> batch) {
        List<Settlement> settlements =
                batch.stream().flatMap(entry -> entry.settlements.stream()).toList();
        host.call(() -> store.settle(settlements), answers -> arrived(batch, last(batch, answers)), thrown -> {
            StoreCallLog.failed(LOG, settlements.size() + " settlements", worker, thrown);
            if (StoreCallLog.isClosed(thrown)) {
                // They cannot be stored any more: the leases expire, and other workers take over.
                arrived(batch, Collections.nCopies(batch.size(), Settled.STALE));
            } else if (thrown instanceof StoreUnavailable) {
                pauseAndThen(() -> send(batch));
            } else {
                pauseAndThen(() -> sendNextAlone(batch, new ArrayList<>()));
            }
        });
    }

    /** Returns the answer to the last settlement of each entry. */
    private static List<Settled> last(List<Entry> batch, List<Settled> answers) {
        List<Settled> last = new ArrayList<>(batch.size());
        int next = 0;
        for (Entry entry : batch) {
            next += entry.settlements.size();
            last.add(answers.get(next - 1));
        }
        return last;
    }

    private void pauseAndThen(Runnable next) {
        Duration pause = backoff;
        backoff = longer(backoff);
        host.later(pause, next);
    }

    /** Sends the settlements of a rejected batch one by one, so that only the faulty one fails. */
    private void sendNextAlone(List<Entry> batch, List<Settled> answers) {
        if (answers.size() == batch.size()) {
            arrived(batch, answers);
        } else {
            sendAlone(batch, answers, batch.get(answers.size()).settlements, host.nanoTime());
        }
    }

    private void sendAlone(List<Entry> batch, List<Settled> answers, List<Settlement> settlements, long refusedSince) {
        Settlement settlement = settlements.getLast();
        host.call(
                () -> store.settle(settlements),
                answer -> {
                    answers.add(answer.getLast());
                    sendNextAlone(batch, answers);
                },
                thrown -> {
                    StoreCallLog.failed(LOG, settlements.size() + " settlements", worker, thrown);
                    if (StoreCallLog.isClosed(thrown)) {
                        answers.add(Settled.STALE);
                        sendNextAlone(batch, answers);
                    } else if (thrown instanceof StoreUnavailable || thrown instanceof StoreUnusable) {
                        // An outage of the store never counts against the task, however long it lasts.
                        pauseAndThen(() -> sendAlone(batch, answers, settlements, host.nanoTime()));
                    } else if (host.nanoTime() - refusedSince < patience.toNanos()) {
                        pauseAndThen(() -> sendAlone(batch, answers, settlements, refusedSince));
                    } else if (settlement instanceof Settlement.Complete complete) {
                        LOG.error(
                                "Result rejected by the store, the task fails: task={}",
                                settlement.lease().taskId(),
                                thrown);
                        Settlement instead = new Settlement.Fail(
                                complete.lease(), false, "The result could not be stored: " + FailureText.of(thrown));
                        sendAlone(batch, answers, List.of(instead), host.nanoTime());
                    } else {
                        LOG.error(
                                "Settlement rejected by the store and discarded: task={}",
                                settlement.lease().taskId(),
                                thrown);
                        answers.add(Settled.STALE);
                        sendNextAlone(batch, answers);
                    }
                });
    }

    /** Estimates the bytes of the document that a settlement carries. */
    static long size(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Complete complete -> HeldTask.size(complete.result());
            case Settlement.Conclude conclude
            when conclude.outcome() instanceof EffectOutcome.Done done -> HeldTask.size(done.result());
            case Settlement.Continue next -> HeldTask.size(next.input());
            case Settlement.Advance advance ->
                advance.lines().stream().mapToLong(Outbox::size).sum();
            default -> 0;
        };
    }

    private static long size(NewLine line) {
        return switch (line) {
            case NewLine.Note note -> HeldTask.size(note.document());
            case NewLine.Step(NewTask task) -> task.input().length();
            case NewLine.Abandon abandon -> 0;
            case NewLine.Answer answer -> HeldTask.size(answer.answer());
        };
    }

    private void arrived(List<Entry> batch, List<Settled> answers) {
        sending = false;
        backoff = FIRST_BACKOFF;
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).answered.accept(answers.get(i));
        }
        underWay = List.of();
        List.copyOf(afterBatch).forEach(Runnable::run);
        afterBatch.clear();
        answered.run();
    }

    /** Calls back once all settlements that are in the outbox now are answered. */
    void afterAll(Runnable then) {
        if (entries.isEmpty() && !sending) {
            then.run();
        } else if (entries.isEmpty()) {
            afterBatch.add(then);
        } else {
            Entry last = entries.removeLast();
            entries.add(new Entry(last.settlements, answer -> {
                last.answered.accept(answer);
                then.run();
            }));
        }
    }

    /** Returns the settlements that the store has not answered, in order. */
    List<Settlement> unanswered() {
        List<Settlement> settlements = new ArrayList<>();
        underWay.forEach(entry -> settlements.addAll(entry.settlements));
        entries.forEach(entry -> settlements.addAll(entry.settlements));
        return settlements;
    }

    /** Returns the first of these settlements, as many as one call may carry. */
    static List<Settlement> oneCall(List<Settlement> settlements) {
        long bytes = 0;
        int count = 0;
        while (count < settlements.size() && count < MAX_SETTLEMENTS && bytes < MOST_BYTES) {
            bytes += size(settlements.get(count));
            count++;
        }
        return settlements.subList(0, count);
    }

    boolean isEmpty() {
        return entries.isEmpty() && !sending;
    }

    static Duration longer(Duration backoff) {
        Duration twice = backoff.multipliedBy(2);
        return twice.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : twice;
    }
}
