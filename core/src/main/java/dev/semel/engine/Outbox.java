package dev.semel.engine;

import dev.semel.store.Applied;
import dev.semel.store.EffectOutcome;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.FailureText;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a worker has to tell the store: the ends of attempts, and the intents and outcomes of effects. It goes in the order in
 * which it was put in, as much as there is in one call, and again until it is answered; while a call is under way the next one
 * gathers. A move that the store refuses for as long as a lease lasts, with an error other than its own trouble, is given up, so
 * that it does not hold up all others for ever. Used by steps of the host only.
 *
 * <p>What can wait a moment goes with whatever goes next. So the outcome of an effect shares a commit with the intent of the
 * next one or with the end of the attempt, and an effect costs one commit and not two.
 */
final class Outbox {

    private static final SafeLogger LOG = SafeLogger.of(Outbox.class);

    private static final int MOST_MOVES = 1_000;

    // Results of one call, about: a call with a thousand of the largest would not fit into a small heap.
    private static final long MOST_BYTES = 8L << 20;

    static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);

    /** How long a move waits for company. */
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

    private record Entry(Transition move, Consumer<Applied> answered) {}

    /**
     * Makes an empty one.
     *
     * @param patience how long a move is sent again that the store refuses, though it answers
     * @param answered called after each batch of answers
     */
    Outbox(TaskStore store, WorkerHost host, String worker, Duration patience, Runnable answered) {
        this.store = store;
        this.host = host;
        this.worker = worker;
        this.patience = patience;
        this.answered = answered;
    }

    /** Puts in a move that goes as soon as {@link #send} may. */
    void put(Transition move, Consumer<Applied> answer) {
        entries.add(new Entry(move, answer));
        wanted = true;
    }

    /** Puts in a move that goes with the next one, or by itself a moment later. */
    void putSoon(Transition move, Consumer<Applied> answer) {
        entries.add(new Entry(move, answer));
        if (!awaitsCompany) {
            awaitsCompany = true;
            host.later(SOON, () -> {
                awaitsCompany = false;
                flush();
            });
        }
    }

    /** Sends everything that is in it. */
    void flush() {
        wanted |= !entries.isEmpty();
        send();
    }

    /** Sends what is in it, if anything in it must go and nothing is under way. */
    void send() {
        if (sending || !wanted) {
            return;
        }
        List<Entry> batch = new ArrayList<>();
        long bytes = 0;
        while (batch.size() < MOST_MOVES && bytes < MOST_BYTES && !entries.isEmpty()) {
            Entry entry = entries.remove();
            bytes += size(entry.move);
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
        List<Transition> moves = batch.stream().map(Entry::move).toList();
        host.call(() -> store.apply(moves), answers -> arrived(batch, answers), thrown -> {
            warn(batch.size(), thrown);
            if (thrown instanceof StoreUnavailable) {
                pauseAndThen(() -> send(batch));
            } else {
                pauseAndThen(() -> sendNextAlone(batch, new ArrayList<>()));
            }
        });
    }

    private void pauseAndThen(Runnable next) {
        Duration pause = backoff;
        backoff = longer(backoff);
        host.later(pause, next);
    }

    /** One move of a batch may be what the store cannot take: then it alone must suffer. */
    private void sendNextAlone(List<Entry> batch, List<Applied> answers) {
        if (answers.size() == batch.size()) {
            arrived(batch, answers);
        } else {
            sendAlone(batch, answers, batch.get(answers.size()).move, host.nanoTime());
        }
    }

    private void sendAlone(List<Entry> batch, List<Applied> answers, Transition move, long refusedSince) {
        host.call(
                () -> store.apply(List.of(move)),
                answer -> {
                    answers.addAll(answer);
                    sendNextAlone(batch, answers);
                },
                thrown -> {
                    warn(1, thrown);
                    if (thrown instanceof StoreUnavailable || thrown instanceof StoreUnusable) {
                        // The store's trouble is never the task's, however long it lasts.
                        pauseAndThen(() -> sendAlone(batch, answers, move, host.nanoTime()));
                    } else if (host.nanoTime() - refusedSince < patience.toNanos()) {
                        pauseAndThen(() -> sendAlone(batch, answers, move, refusedSince));
                    } else if (move instanceof Transition.Complete complete) {
                        LOG.error("The store does not take the result of task {}, so it fails", taskOf(move), thrown);
                        Transition instead = new Transition.Fail(
                                complete.lease(), false, "The result could not be stored: " + FailureText.of(thrown));
                        sendAlone(batch, answers, instead, host.nanoTime());
                    } else {
                        LOG.error("The store does not take a move of task {}, so it is given up", taskOf(move), thrown);
                        answers.add(Applied.STALE);
                        sendNextAlone(batch, answers);
                    }
                });
    }

    private static Object taskOf(Transition move) {
        return move instanceof Transition.ByWorker worker ? worker.lease().taskId() : move;
    }

    /** About how large the document is that a move carries. */
    static long size(Transition move) {
        return switch (move) {
            case Transition.Complete complete -> Held.size(complete.result());
            case Transition.Conclude conclude
            when conclude.outcome() instanceof EffectOutcome.Done done -> Held.size(done.result());
            default -> 0;
        };
    }

    private void arrived(List<Entry> batch, List<Applied> answers) {
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

    /** Calls back once everything is answered that is in it now. */
    void afterAll(Runnable then) {
        if (entries.isEmpty() && !sending) {
            then.run();
        } else if (entries.isEmpty()) {
            afterBatch.add(then);
        } else {
            Entry last = entries.removeLast();
            entries.add(new Entry(last.move, answer -> {
                last.answered.accept(answer);
                then.run();
            }));
        }
    }

    /** What nobody has answered yet, in order. */
    List<Transition> unanswered() {
        List<Transition> moves = new ArrayList<>();
        underWay.forEach(entry -> moves.add(entry.move));
        entries.forEach(entry -> moves.add(entry.move));
        return moves;
    }

    /** As many of these as go in one call. */
    static List<Transition> oneCall(List<Transition> moves) {
        long bytes = 0;
        int count = 0;
        while (count < moves.size() && count < MOST_MOVES && bytes < MOST_BYTES) {
            bytes += size(moves.get(count));
            count++;
        }
        return moves.subList(0, count);
    }

    boolean isEmpty() {
        return entries.isEmpty() && !sending;
    }

    static Duration longer(Duration backoff) {
        Duration twice = backoff.multipliedBy(2);
        return twice.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : twice;
    }

    private void warn(int moves, RuntimeException thrown) {
        if (thrown instanceof StoreUnavailable) {
            LOG.warn("The store did not answer {} moves of worker {}: {}", moves, worker, thrown.getMessage());
        } else if (thrown instanceof StoreUnusable) {
            LOG.error("The store refused {} moves of worker {}: {}", moves, worker, thrown.getMessage());
        } else {
            LOG.error("{} moves of worker {} failed", moves, worker, thrown);
        }
    }
}
