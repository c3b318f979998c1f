package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.RestartPreview;
import dev.semel.Semel;
import dev.semel.Workflows;
import dev.semel.engine.TaskContext;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.ResultNotReady;
import dev.semel.task.RetryPolicy;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testkit.ManualClock;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowNotFound;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A workflow that fails, is restarted and continues as new, by a process that dies before or after any one of its calls to the store: the n-th, for
 * each n until the process needs fewer. Another process finishes. No step runs again whose outcome was recorded in its generation, every signal is
 * received once, and the result is that of a process that does not die.
 */
@Timeout(150)
public abstract class GenerationCrashContract {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration TICK = Duration.ofMillis(20);
    private static final int FEWEST_CALLS = 15;

    private static final TaskType<String, String> STEP = TaskType.builder("step", String.class, String.class)
            .retry(RetryPolicy.attempts(1))
            .build();
    private static final WorkflowType<String, String> FLOW =
            WorkflowType.of("workflow-generations", String.class, String.class);
    private static final String GO = "go";
    private static final String RESULT = "1: did a, task 2, signal one; 2: did a, task 1, signal two";

    private final ManualClock clock = new ManualClock();

    /** For subclasses. */
    protected GenerationCrashContract() {}

    /**
     * Opens a store without tasks.
     *
     * @param storeClock its clock
     * @return the store
     */
    protected abstract TaskStore open(ManualClock storeClock);

    /** What happened outside of the store. */
    private static final class Outside {
        final Map<String, Set<String>> tokens = new ConcurrentHashMap<>();
        final Set<String> recorded = ConcurrentHashMap.newKeySet();
        final List<String> wrong = new CopyOnWriteArrayList<>();
        final List<Operation.Restart> restarts = new CopyOnWriteArrayList<>();

        /** A step comes with its token; its number among those with other tokens. */
        int came(String name, String token) {
            if (recorded.contains(token)) {
                wrong.add(name + " ran again after its outcome was recorded");
            }
            Set<String> known = tokens.computeIfAbsent(name, any -> new CopyOnWriteArraySet<>());
            known.add(token);
            return List.copyOf(known).indexOf(token) + 1;
        }
    }

    /** The store of a process that dies at one of its calls: from then on it reaches nothing. */
    private static final class Mortal extends ForwardingTaskStore {

        private final Outside outside;
        private final int last;
        private final boolean after;
        private int calls;
        private volatile boolean dead;

        Mortal(TaskStore store, Outside outside, int last, boolean after) {
            super(store);
            this.outside = outside;
            this.last = last;
            this.after = after;
        }

        boolean isDead() {
            return dead;
        }

        // Claims and looks that find nothing new are not counted: how many there are depends on the machine.
        private <T> T counted(Supplier<T> call) {
            boolean dies;
            synchronized (this) {
                alive();
                dies = ++calls == last;
                dead = dies;
            }
            if (dies && !after) {
                throw new StoreUnavailable("The process died before the call");
            }
            T answer = call.get();
            if (dies) {
                throw new StoreUnavailable("The process died after the call");
            }
            return answer;
        }

        private void alive() {
            if (dead) {
                throw new StoreUnavailable("The process is dead");
            }
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            return counted(() -> super.submit(batch));
        }

        @Override
        public Claims claim(ClaimRequest request) {
            alive();
            return super.claim(request);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            if (batch.stream().allMatch(Settlement.Extend.class::isInstance)) {
                alive();
                return super.settle(batch);
            }
            return counted(() -> {
                List<Settled> answers = super.settle(batch);
                for (int i = 0; i < batch.size(); i++) {
                    if (answers.get(i) == Settled.APPLIED && batch.get(i) instanceof Settlement.Conclude conclude) {
                        outside.recorded.add(conclude.effect().token());
                    } else if (answers.get(i) == Settled.APPLIED
                            && batch.get(i) instanceof Settlement.Complete complete) {
                        outside.recorded.add(complete.lease().taskId().toString());
                    }
                }
                return answers;
            });
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            for (Operation operation : batch) {
                if (operation instanceof Operation.Restart restart) {
                    outside.restarts.add(restart);
                }
            }
            return counted(() -> super.operate(batch));
        }

        @Override
        public Map<TaskId, History> histories(Collection<History.Query> queries) {
            return counted(() -> super.histories(queries));
        }

        @Override
        public void close() {
            // the store outlives its processes
        }
    }

    @Test
    @DisplayName(
            "A process that restarts workflows and continues them as new can die before or after each of its calls")
    void diesAtEachCall() {
        try (TaskStore store = open(clock)) {
            for (boolean after : List.of(false, true)) {
                int call = 1;
                while (dies(store, call, after)) {
                    call++;
                }
                assertThat(call).as("calls of one process").isGreaterThan(FEWEST_CALLS);
            }
        }
    }

    /** Returns whether the process has died: it makes no more calls than that otherwise. */
    private boolean dies(TaskStore store, int call, boolean after) {
        String id = (after ? "after-" : "before-") + call;
        Outside outside = new Outside();
        Mortal first = new Mortal(store, outside, call, after);
        run(first, outside, id);
        boolean died = first.isDead();
        Mortal second = new Mortal(store, outside, Integer.MAX_VALUE, false);
        try (Semel waiting =
                Semel.on(new Mortal(store, outside, Integer.MAX_VALUE, false)).build()) {
            if (died) {
                clock.advance(LEASE.multipliedBy(2));
                run(second, outside, id);
            }
            assertThat(result(store, waiting, id)).as(id).isEqualTo(RESULT);
            check(store, waiting.workflows().taskId(FLOW, id), outside, id);
        }
        return died;
    }

    private static String result(TaskStore store, Semel waiting, String id) {
        try {
            return waiting.workflows().handle(FLOW, id).result(PATIENCE);
        } catch (ResultNotReady e) {
            TaskId task = waiting.workflows().taskId(FLOW, id);
            throw new AssertionError(
                    id + " has not ended: " + store.find(List.of(task))
                            + store.histories(List.of(History.Query.whole(task))),
                    e);
        }
    }

    private static void check(TaskStore store, TaskId task, Outside outside, String id) {
        assertThat(outside.wrong).as(id).isEmpty();
        // The restart has kept the local step; the continuation is a generation of its own.
        assertThat(outside.tokens.get("a")).as("tokens of a of %s", id).hasSize(2);
        assertThat(outside.tokens.get("b1")).as("tasks of b of %s", id).hasSize(2);
        assertThat(outside.tokens.get("b2"))
                .as("tasks of b in the second part of %s", id)
                .hasSize(1);
        History history = store.histories(List.of(History.Query.whole(task))).get(task);
        assertThat(Generation.all(history == null ? List.of() : history.inbox()))
                .as("generations of %s", id)
                .extracting(Generation::number)
                .containsExactly(3);
        Set<Operation.Restart> sent = new HashSet<>(outside.restarts);
        assertThat(sent).as("restarts of %s", id).hasSize(1);
        // It continued as new since, so a restart that comes this late changes nothing.
        assertThat(store.operate(List.copyOf(sent))).containsExactly(Operated.STALE);
    }

    // ---- one process

    /** Starts the workflow, sends its signals, restarts it once it has failed, and runs it: until it has ended, or the process has died. */
    private void run(Mortal store, Outside outside, String id) {
        Semel semel = Semel.on(store).build();
        try {
            // The signals first: once the workflow has failed, it would accept none before its restart.
            startOnce(semel, id);
            semel.workflows().signal(FLOW, id, GO, "one", "first");
            semel.workflows().signal(FLOW, id, GO, "two", "second");
            semel.worker("default")
                    .lease(LEASE)
                    .poll(Duration.ofMillis(5))
                    .maxVanished(100)
                    .closeGrace(Duration.ZERO)
                    .workflow(FLOW, (flow, before) -> flow(flow, before, outside))
                    .handle(STEP, (context, name) -> step(context, name, outside))
                    .start();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!store.isDead() && System.nanoTime() < deadline) {
                Task task =
                        semel.tasks().find(semel.workflows().taskId(FLOW, id)).orElseThrow();
                if (task.state() == TaskState.COMPLETED) {
                    return;
                }
                if (task.state() == TaskState.FAILED) {
                    restart(semel, id);
                }
                LockSupport.parkNanos(2_000_000);
                clock.advance(TICK);
            }
        } catch (StoreUnavailable e) {
            assertThat(store.isDead()).as("the process of %s is dead", id).isTrue();
        } finally {
            if (store.isDead()) {
                // Nobody waits for a process that was killed. Closing it would wait for answers.
                Thread.ofVirtual().start(semel::close);
            } else {
                semel.close();
            }
        }
    }

    /** Starts the workflow, unless the process that died has: another start after its failure would be a rerun. */
    private static void startOnce(Semel semel, String id) {
        try {
            TaskId unused = semel.workflows().taskId(FLOW, id);
        } catch (WorkflowNotFound e) {
            semel.start(FLOW, id, "");
        }
    }

    private static void restart(Semel semel, String id) {
        RestartPreview preview = semel.workflows().previewRestart(FLOW, id);
        Workflows.Restarting unused = semel.workflows().restart(preview);
    }

    /** Does the same twice, the second time as new with what it did before as its input. */
    private static String flow(Flow flow, String before, Outside outside) {
        int part = before.isEmpty() ? 1 : 2;
        String local = flow.local("a", String.class, token -> {
            int unused = outside.came("a", token);
            return "did a";
        });
        String step = flow.run(STEP, "b" + part);
        String done = part + ": " + local + ", " + step + ", signal " + flow.signal(GO, String.class);
        return part == 1 ? flow.continueAsNew(done + "; ") : before + done;
    }

    /** The first step fails the first time, and its workflow with it. */
    private static String step(TaskContext context, String name, Outside outside) {
        int number = outside.came(name, context.taskId().toString());
        if (name.equals("b1") && number == 1) {
            throw new IllegalStateException("broken");
        }
        return "task " + number;
    }
}
