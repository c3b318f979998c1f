package dev.semel.workflow;

import dev.semel.engine.Journal;
import dev.semel.engine.ReplayedHandler;
import dev.semel.engine.StepPreparer;
import dev.semel.engine.TaskContext;
import dev.semel.store.Continuation;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.task.Durations;
import dev.semel.task.PermanentFailure;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Calls the code of a workflow, and turns the ways in which it can end into the ends of an attempt. */
final class Replayer<I, O extends @Nullable Object> implements ReplayedHandler<I, O> {

    private static final SafeLogger LOG = SafeLogger.of(Replayer.class);

    // Code that does not fit its history is tried again after half of the time for which it has not fitted: often at
    // first, because a
    // deployment may be under way, and seldom later.
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final TaskType<I, O> type;
    private final WorkflowHandler<I, O> code;
    private final StepPreparer steps;
    private final HistoryCache cache = new HistoryCache();

    Replayer(TaskType<I, O> type, WorkflowHandler<I, O> code, StepPreparer steps) {
        this.type = type;
        this.code = code;
        this.steps = steps;
    }

    @Override
    public O handle(TaskContext context, Journal journal, I input) throws Exception {
        Turn turn = new Turn(journal, steps, read(journal));
        Flow flow = new Flow(turn, context, type.input());
        try {
            O output = code.run(flow, input(turn, journal, input));
            turn.endChildren();
            turn.answerLast();
            turn.requireWhole();
            turn.flush();
            return output;
        } catch (Exception e) {
            throw ended(turn, journal, undone(turn, flow, e));
        } finally {
            cache.put(journal.task(), turn.known());
        }
    }

    /** The input of the generation: that of the task, unless the code has continued as new. */
    private I input(Turn turn, Journal journal, I first) {
        String next = turn.input();
        return next == null ? first : journal.codec().decode(next, type.input());
    }

    /** Undoes what the code has registered, if the workflow ends with this exception; returns the exception that it ends with. */
    private static Exception undone(Turn turn, Flow flow, Exception thrown) {
        boolean ends = thrown instanceof WorkflowCancelled
                || thrown instanceof TaskUnsuccessful
                || thrown instanceof PermanentFailure;
        if (!ends || turn.broken() != null) {
            return thrown;
        }
        try {
            turn.endChildren();
            Exception last = thrown;
            if (!flow.compensations().isEmpty()) {
                turn.compensate();
                last = flow.compensations().undo(thrown);
            }
            turn.answerLast();
            return last;
        } catch (Exception e) {
            return e; // tried again, or the code does not fit its history
        }
    }

    /** Turns an exception of the code into the end of the attempt. */
    private Exception ended(Turn turn, Journal journal, Exception thrown) {
        NonDeterministic broken = turn.broken();
        if (broken != null) {
            Duration pause = pause(turn);
            LOG.error(
                    "Workflow stopped, its code does not fit its history: task={} type={} line={} retry_in={} error={}",
                    journal.task().id(),
                    journal.task().type(),
                    broken.line(),
                    Durations.text(pause),
                    broken.getMessage());
            throw journal.stop(turn.seen(), pause, String.valueOf(broken.getMessage()));
        }
        return switch (thrown) {
            case WorkflowCancelled cancelled -> {
                turn.flush();
                throw cancelled.isTimedOut()
                        ? journal.timedOut(String.valueOf(cancelled.getMessage()))
                        : journal.cancelled();
            }
            case TaskUnsuccessful unsuccessful -> {
                // The history will always say so: another attempt would end here as well.
                turn.flush();
                yield new PermanentFailure(String.valueOf(unsuccessful.getMessage()), unsuccessful);
            }
            case PermanentFailure permanent -> {
                turn.flush();
                yield permanent;
            }
            default -> thrown;
        };
    }

    private History read(Journal journal) {
        History known = cache.get(journal.task());
        try {
            History newer = journal.read(known.lines().size(), known.newestEntry());
            List<Generation> begun = Generation.all(newer.inbox());
            if (!begun.isEmpty()) {
                // What is known is of an earlier generation: only its beginning was kept, and what follows was not
                // read. Of one that has continued as new nothing was, and entries are deleted.
                boolean anew = newer.inbox().stream()
                        .anyMatch(entry -> Continuation.of(entry).isPresent());
                int kept = anew
                        ? 0
                        : begun.stream()
                                .mapToInt(generation -> Math.max(generation.from(), 1) - 1)
                                .min()
                                .orElseThrow();
                known = new History(
                        known.lines().subList(0, Math.min(kept, known.lines().size())),
                        anew ? List.of() : known.inbox(),
                        known.now());
                newer = journal.read(known.lines().size(), known.newestEntry());
            }
            return new History(both(known.lines(), newer.lines()), both(known.inbox(), newer.inbox()), newer.now());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException stopped =
                    new CancellationException("The thread was interrupted while the history was read.");
            stopped.initCause(e);
            throw stopped;
        }
    }

    private static <T> List<T> both(List<T> known, List<T> newer) {
        if (known.isEmpty()) {
            return newer;
        }
        List<T> all = new ArrayList<>(known.size() + newer.size());
        all.addAll(known);
        all.addAll(newer);
        return all;
    }

    private static Duration pause(Turn turn) {
        Duration stopped = Duration.between(turn.grew(), turn.storeTime()).dividedBy(2);
        return stopped.compareTo(FIRST_PAUSE) < 0
                ? FIRST_PAUSE
                : stopped.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : stopped;
    }
}
