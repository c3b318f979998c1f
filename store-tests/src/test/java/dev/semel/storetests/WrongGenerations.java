package dev.semel.storetests;

import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stores that are wrong about generations of workflows in one way each, for the storm and for the simulation. */
public final class WrongGenerations {

    private WrongGenerations() {}

    private static int generation(History history) {
        List<Generation> begun = Generation.all(history.inbox());
        return begun.isEmpty() ? 1 : begun.getLast().number();
    }

    /** A restart keeps the line from which it is to begin, although its entry says that it does not. */
    public static final class KeepsLine extends WrongFlows {

        private final Map<TaskId, List<Operation.Restart>> wrong = new ConcurrentHashMap<>();

        /** Makes it of a right one. */
        public KeepsLine(TaskStore right) {
            super(right);
        }

        @Override
        Operated restart(Operation.Restart restart) {
            int lines = history(restart.taskId()).lines().size();
            if (restart.from() < 1 || restart.from() > lines) {
                return rightly(restart);
            }
            Operation.Restart other = new Operation.Restart(restart.taskId(), restart.generation(), restart.from() + 1);
            Operated answer = rightly(other);
            if (answer == Operated.APPLIED) {
                wrong.computeIfAbsent(restart.taskId(), id -> new CopyOnWriteArrayList<>())
                        .add(restart);
            }
            return answer;
        }

        @Override
        History painted(TaskId workflow, History history) {
            List<InboxEntry> inbox = new ArrayList<>();
            for (InboxEntry entry : history.inbox()) {
                InboxEntry shown = entry;
                for (Operation.Restart restart : wrong.getOrDefault(workflow, List.of())) {
                    String document = entry.document();
                    if (document != null
                            && Generation.key(restart.generation() + 1).equals(entry.key())) {
                        shown = new InboxEntry(
                                entry.number(),
                                entry.name(),
                                null,
                                null,
                                entry.key(),
                                document.replaceFirst("\"from\":\\d+", "\"from\":" + restart.from()),
                                null,
                                entry.at());
                    }
                }
                inbox.add(shown);
            }
            return new History(history.lines(), inbox, history.now());
        }
    }

    /** A restart does not compare the generation, so one that is sent again happens again. */
    public static final class RestartsUnfenced extends WrongFlows {

        /** Makes it of a right one. */
        public RestartsUnfenced(TaskStore right) {
            super(right);
        }

        @Override
        Operated restart(Operation.Restart restart) {
            History history = history(restart.taskId());
            return rightly(new Operation.Restart(
                    restart.taskId(),
                    Math.max(restart.generation(), generation(history)),
                    Math.min(restart.from(), history.lines().size() + 1)));
        }
    }

    /** A workflow that continues as new loses the signals that its code has seen and not received. */
    public static final class DropsUnread extends WrongFlows {

        /** Makes it of a right one. */
        public DropsUnread(TaskStore right) {
            super(right);
        }

        @Override
        Settled continueAsNew(Settlement.Continue next) {
            return rightly(new Settlement.Continue(next.lease(), next.seen(), List.of(), next.input(), next.since()));
        }
    }

    /** A workflow that continues as new loses what has come since its code has read the inbox. */
    public static final class DropsNewer extends WrongFlows {

        private final Window window;

        /** Makes it of a right one. */
        public DropsNewer(TaskStore right, Window window) {
            super(right);
            this.window = window;
        }

        @Override
        Settled continueAsNew(Settlement.Continue next) {
            for (int times = 0; times < 5; times++) {
                window.pass();
            }
            return rightly(new Settlement.Continue(
                    next.lease(),
                    Math.max(next.seen(), newest(next.lease().taskId())),
                    next.unread(),
                    next.input(),
                    next.since()));
        }
    }

    /** A workflow that continues as new keeps its lines: the next generation finds what the one before has done. */
    public static final class KeepsLines extends WrongFlows {

        private final Map<TaskId, List<HistoryLine>> kept = new ConcurrentHashMap<>();

        /** Makes it of a right one. */
        public KeepsLines(TaskStore right) {
            super(right);
        }

        @Override
        Settled continueAsNew(Settlement.Continue next) {
            TaskId workflow = next.lease().taskId();
            List<HistoryLine> lines = List.copyOf(history(workflow).lines());
            Settled answer = rightly(next);
            if (answer == Settled.APPLIED && history(workflow).lines().isEmpty()) {
                kept.put(workflow, lines);
            }
            return answer;
        }

        @Override
        History painted(TaskId workflow, History history) {
            return history.lines().isEmpty() && generation(history) > 1
                    ? new History(kept.getOrDefault(workflow, List.of()), history.inbox(), history.now())
                    : history;
        }
    }
}
