package dev.semel.storetests;

import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stores that are wrong about workflows in one way each, for the storm and for the simulation: both must find them. Each passes
 * everything on to a right store and changes the little that makes the bug.
 */
public abstract class WrongFlows extends ForwardingTaskStore {

    private static final int NEVER = 1_000;

    final TaskStore right;

    WrongFlows(TaskStore right) {
        super(right);
        this.right = right;
    }

    /** What happens between a look and the act that relies on it: other threads go on. */
    public interface Window {
        /** Lets time pass. */
        void pass();
    }

    @Override
    public final List<Settled> settle(List<? extends Settlement> batch) {
        List<Settled> answers = new ArrayList<>();
        for (Settlement settlement : batch) {
            answers.add(
                    switch (settlement) {
                        case Settlement.Advance advance -> advance(advance);
                        case Settlement.Wait wait -> await(wait);
                        case Settlement.Continue next -> continueAsNew(next);
                        default -> rightly(settlement);
                    });
        }
        return answers;
    }

    @Override
    public final List<Submitted> submit(List<? extends SubmitRequest> batch) {
        List<Submitted> answers = new ArrayList<>();
        for (SubmitRequest request : batch) {
            answers.add(request instanceof SubmitRequest.Signal signal ? signal(signal) : rightly(request));
        }
        return answers;
    }

    @Override
    public final List<Operated> operate(List<? extends Operation> batch) {
        List<Operated> answers = new ArrayList<>();
        for (Operation operation : batch) {
            answers.add(operation instanceof Operation.Restart restart ? restart(restart) : rightly(operation));
        }
        return answers;
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        Map<TaskId, History> found = new HashMap<>();
        for (History.Query query : queries) {
            // Read whole, so that a store can show other lines than are stored.
            History whole = painted(
                    query.workflow(),
                    right.histories(List.of(History.Query.whole(query.workflow())))
                            .get(query.workflow()));
            found.put(
                    query.workflow(),
                    new History(
                            after(whole.lines(), query.lines()),
                            whole.inbox().stream()
                                    .filter(entry -> entry.number() > query.inbox())
                                    .toList(),
                            whole.now()));
        }
        return found;
    }

    private static <T> List<T> after(List<T> all, int known) {
        return all.subList(Math.min(known, all.size()), all.size());
    }

    Settled advance(Settlement.Advance advance) {
        return rightly(advance);
    }

    Settled await(Settlement.Wait wait) {
        return rightly(wait);
    }

    Settled continueAsNew(Settlement.Continue next) {
        return rightly(next);
    }

    Operated restart(Operation.Restart restart) {
        return rightly(restart);
    }

    Submitted signal(SubmitRequest.Signal signal) {
        return rightly(signal);
    }

    final Operated rightly(Operation operation) {
        return right.operate(List.of(operation)).getFirst();
    }

    /** The number of the newest entry in the inbox of a workflow; after a continuation that is not how many there are. */
    final int newest(TaskId workflow) {
        List<InboxEntry> inbox = history(workflow).inbox();
        return inbox.isEmpty() ? 0 : inbox.getLast().number();
    }

    History painted(TaskId workflow, History history) {
        return history;
    }

    final Settled rightly(Settlement settlement) {
        return right.settle(List.of(settlement)).getFirst();
    }

    final Submitted rightly(SubmitRequest request) {
        return right.submit(List.of(request)).getFirst();
    }

    final History history(TaskId workflow) {
        return right.histories(List.of(History.Query.whole(workflow))).get(workflow);
    }

    /** Now and then the entry that a workflow waits for does not wake it. */
    public static final class DropsWake extends WrongFlows {

        private final AtomicInteger waits = new AtomicInteger();

        /** Makes it of a right one. */
        public DropsWake(TaskStore right) {
            super(right);
        }

        @Override
        Settled await(Settlement.Wait wait) {
            int more = waits.incrementAndGet() % 3 == 0 ? wait.more() + NEVER : wait.more();
            return rightly(new Settlement.Wait(wait.lease(), wait.seen(), more, wait.wakeAt(), wait.error()));
        }
    }

    /** A wait waits for what comes from then on, whatever has come since the code has read its inbox. */
    public static final class IgnoresNewer extends WrongFlows {

        /** Makes it of a right one. */
        public IgnoresNewer(TaskStore right) {
            super(right);
        }

        @Override
        Settled await(Settlement.Wait wait) {
            int seen = Math.max(wait.seen(), newest(wait.lease().taskId()));
            return rightly(new Settlement.Wait(wait.lease(), seen, wait.more(), wait.wakeAt(), wait.error()));
        }
    }

    /** The counters are read in one step and the state is written in another: an entry in between wakes nobody. */
    public static final class CountsElsewhere extends WrongFlows {

        private final Window window;

        /** Makes it of a right one. */
        public CountsElsewhere(TaskStore right, Window window) {
            super(right);
            this.window = window;
        }

        @Override
        Settled await(Settlement.Wait wait) {
            TaskId workflow = wait.lease().taskId();
            List<InboxEntry> beyond = history(workflow).inbox().stream()
                    .filter(entry -> entry.number() > wait.seen())
                    .toList();
            boolean waits = beyond.size() < wait.more() && beyond.stream().noneMatch(InboxEntry::isUrgent);
            for (int times = 0; times < 5; times++) {
                window.pass();
            }
            int seen = waits ? Math.max(wait.seen(), newest(workflow)) : wait.seen();
            return rightly(new Settlement.Wait(wait.lease(), seen, wait.more(), wait.wakeAt(), wait.error()));
        }
    }

    /** Now and then the last of several lines is answered as added, but is not. */
    public static final class LosesLine extends WrongFlows {

        private final AtomicInteger advances = new AtomicInteger();

        /** Makes it of a right one. */
        public LosesLine(TaskStore right) {
            super(right);
        }

        @Override
        Settled advance(Settlement.Advance advance) {
            if (advance.lines().size() < 2 || advances.incrementAndGet() % 3 != 0) {
                return rightly(advance);
            }
            List<NewLine> fewer = advance.lines().subList(0, advance.lines().size() - 1);
            return rightly(new Settlement.Advance(advance.lease(), advance.first(), fewer));
        }
    }

    /** An attempt that is over can still start steps. */
    public static final class StartsForZombie extends WrongFlows {

        /** Makes it of a right one. */
        public StartsForZombie(TaskStore right) {
            super(right);
        }

        @Override
        Settled advance(Settlement.Advance advance) {
            Settled answer = rightly(advance);
            if (answer == Settled.STALE) {
                for (NewLine line : advance.lines()) {
                    if (line instanceof NewLine.Step(NewTask step)) {
                        Submitted unused = rightly(step);
                    }
                }
            }
            return answer;
        }
    }

    /** A signal is acknowledged, and delivered after the next one. */
    public static final class ReordersSignals extends WrongFlows {

        private SubmitRequest.@Nullable Signal kept;

        /** Makes it of a right one. */
        public ReordersSignals(TaskStore right) {
            super(right);
        }

        @Override
        synchronized Submitted signal(SubmitRequest.Signal signal) {
            SubmitRequest.Signal earlier = kept;
            boolean open = right.find(List.of(signal.taskId())).values().stream()
                    .anyMatch(task -> task.state().isOpen());
            if (earlier == null && open) {
                kept = signal;
                return Submitted.Signalled.ACCEPTED;
            }
            Submitted answer = rightly(signal);
            if (earlier != null) {
                Submitted unused = rightly(earlier);
                kept = null;
            }
            return answer;
        }
    }

    /** A signal that is sent again is delivered again. */
    public static final class DeliversTwice extends WrongFlows {

        private static final String AGAIN = "#again-";

        private final Set<String> delivered = ConcurrentHashMap.newKeySet();
        private final AtomicInteger times = new AtomicInteger();

        /** Makes it of a right one. */
        public DeliversTwice(TaskStore right) {
            super(right);
        }

        @Override
        Submitted signal(SubmitRequest.Signal signal) {
            if (delivered.add(signal.taskId() + signal.key())) {
                return rightly(signal);
            }
            Submitted unused = rightly(new SubmitRequest.Signal(
                    signal.taskId(), signal.key() + AGAIN + times.incrementAndGet(), signal.name(), signal.document()));
            return rightly(signal);
        }

        @Override
        History painted(TaskId workflow, History history) {
            List<InboxEntry> inbox = new ArrayList<>();
            for (InboxEntry entry : history.inbox()) {
                String key = entry.key();
                int again = key == null ? -1 : key.indexOf(AGAIN);
                inbox.add(
                        again < 0
                                ? entry
                                : new InboxEntry(
                                        entry.number(),
                                        entry.name(),
                                        entry.step(),
                                        entry.state(),
                                        key.substring(0, again),
                                        entry.document(),
                                        entry.error(),
                                        entry.at()));
            }
            return new History(history.lines(), inbox, history.now());
        }
    }

    /** Now and then the watch of a step is removed as soon as the step is started. */
    public static final class StopsWatching extends WrongFlows {

        private static final String STEP = "started:";

        private final AtomicInteger steps = new AtomicInteger();

        /** Makes it of a right one. */
        public StopsWatching(TaskStore right) {
            super(right);
        }

        @Override
        Settled advance(Settlement.Advance advance) {
            List<NewLine> lines = new ArrayList<>();
            List<NewTask> unwatched = new ArrayList<>();
            for (NewLine line : advance.lines()) {
                if (line instanceof NewLine.Step(NewTask step)
                        && step.key() == null
                        && steps.incrementAndGet() % 5 == 0) {
                    unwatched.add(step);
                    lines.add(new NewLine.Note(HistoryLine.Kind.VALUE, STEP + step.type(), "\"" + step.id() + "\""));
                } else {
                    lines.add(line);
                }
            }
            Settled answer = rightly(new Settlement.Advance(advance.lease(), advance.first(), lines));
            if (answer == Settled.APPLIED) {
                unwatched.forEach(this::rightly);
            }
            return answer;
        }

        @Override
        History painted(TaskId workflow, History history) {
            List<HistoryLine> lines = new ArrayList<>();
            for (HistoryLine line : history.lines()) {
                String document = line.document();
                lines.add(
                        document == null || !line.name().startsWith(STEP)
                                ? line
                                : new HistoryLine(
                                        line.number(),
                                        HistoryLine.Kind.STEP,
                                        line.name().substring(STEP.length()),
                                        TaskId.parse(document.substring(1, document.length() - 1)),
                                        null,
                                        line.at()));
            }
            return new History(lines, history.inbox(), history.now());
        }
    }

    /** A step that is given up is cancelled: whether another workflow watches it, or whether this one created it, is not asked. */
    public static final class CancelsOthers extends WrongFlows {

        private final boolean own;
        private final Map<TaskId, TaskId> creators = new ConcurrentHashMap<>();

        /**
         * Makes it of a right one.
         *
         * @param own whether it asks who created the step, and forgets to ask who watches it; otherwise the other way round
         */
        public CancelsOthers(TaskStore right, boolean own) {
            super(right);
            this.own = own;
        }

        @Override
        Settled advance(Settlement.Advance advance) {
            TaskId workflow = advance.lease().taskId();
            for (NewLine line : advance.lines()) {
                if (line instanceof NewLine.Step(NewTask step)) {
                    creators.put(step.id(), workflow);
                }
            }
            Settled answer = rightly(advance);
            if (answer == Settled.APPLIED) {
                for (NewLine line : advance.lines()) {
                    if (line instanceof NewLine.Abandon abandon
                            && own == workflow.equals(creators.get(abandon.step()))) {
                        right.operate(List.of(new Operation.Cancel(abandon.step())));
                    }
                }
            }
            return answer;
        }
    }
}
