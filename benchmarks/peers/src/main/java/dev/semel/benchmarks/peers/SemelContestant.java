package dev.semel.benchmarks.peers;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Semel as its documentation recommends. Only the number of handlers is set, which is the same for all. */
final class SemelContestant implements Contestant {

    private static final int CONNECTIONS = 10;
    private static final String QUEUE = "peers";

    /**
     * The input of a task.
     *
     * @param number the number of the task
     * @param filler text that gives the input its size
     */
    record Work(int number, String filler) {}

    @SuppressWarnings("NullAway") // the class is the same whether null is one of its values or not
    private static final TaskType<Work, @Nullable String> TYPE = TaskType.<Work, @Nullable String>builder(
                    "noop", Work.class, String.class)
            .queue(QUEUE)
            .build();

    private static final TaskType<Integer, Integer> STEP =
            TaskType.builder("step", Integer.class, Integer.class).queue(QUEUE).build();
    private static final WorkflowType<Integer, Integer> LOCAL = workflow("local");
    private static final WorkflowType<Integer, Integer> QUEUED = workflow("queued");

    private static WorkflowType<Integer, Integer> workflow(String name) {
        return WorkflowType.of(TaskType.builder(name, Integer.class, Integer.class)
                .queue(QUEUE)
                .identity(IdentityStrategy.callerProvided())
                .build());
    }

    @Override
    public String name() {
        return "Semel";
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(
                        "connections",
                        CONNECTIONS + " and one for hints",
                        "what the store opens for itself by a URL; its page says 5 to 10 for each process"),
                new Choice("handlers at once", Integer.toString(WORKERS), "the same for all"),
                new Choice("everything else", "as it comes", "prefetch, lease, batching, hints, cleaning"));
    }

    @Override
    public void makeTables(DataSource source) {
        PostgresTaskStore.open(source).close();
    }

    @Override
    public boolean hasBatches() {
        return true;
    }

    @Override
    public boolean takesDuplicatesInBatches() {
        return true;
    }

    @Override
    public boolean hasWorkflows() {
        return true;
    }

    @Override
    public String unsettled() {
        // Two tables that every layout of the store has: submitted tasks, and ended tasks.
        return "SELECT (SELECT count(*) FROM semel.task) - (SELECT count(*) FROM semel.done)";
    }

    @Override
    public String stored() {
        return "SELECT count(*) FROM semel.task";
    }

    @Override
    public Session open(Place place, Handler handler) {
        // One more than in the pool that the store would open itself, because with a given pool hints use one of its
        // connections.
        TaskStore store = PostgresTaskStore.open(place.pool(CONNECTIONS + 1));
        return new Open(Semel.on(store).build(), handler);
    }

    private record Open(Semel semel, Handler handler) implements Session {

        private SubmissionRequest<Work, @Nullable String> request(Piece piece) {
            SubmissionRequest<Work, @Nullable String> request =
                    semel.submit(TYPE, new Work(piece.number(), piece.filler()));
            return piece.key() == null ? request : request.idempotencyKey(piece.key());
        }

        @Override
        public Receipt submit(Piece piece) {
            return new Answer(request(piece).send());
        }

        @Override
        public void submitBatch(List<Piece> pieces) {
            List<SubmissionRequest<Work, @Nullable String>> requests = new ArrayList<>(pieces.size());
            pieces.forEach(piece -> requests.add(request(piece)));
            for (SubmitOutcome<@Nullable String> outcome : semel.submitAll(requests)) {
                // Throws the error of this submission.
                Submission<@Nullable String> unused = outcome.submission();
            }
        }

        @Override
        public void work() {
            semel.worker(QUEUE)
                    .handle(TYPE, (context, work) -> handler.run(work.number(), work.filler()))
                    .concurrency(WORKERS)
                    .start();
        }

        @Override
        public void startWorkflow(int number, Steps steps) {
            Submission<Integer> unused = semel.start(
                    switch (steps) {
                        case LOCAL -> LOCAL;
                        case QUEUED -> QUEUED;
                    },
                    Piece.key(number),
                    number);
        }

        @Override
        public void workOnWorkflows() {
            semel.worker(QUEUE)
                    .workflow(LOCAL, (flow, number) -> {
                        for (int i = 0; i < Steps.COUNT; i++) {
                            int step = number * Steps.COUNT + i;
                            flow.local("step", Integer.class).index(i).run(token -> run(step));
                        }
                        return number;
                    })
                    .workflow(QUEUED, (flow, number) -> {
                        for (int i = 0; i < Steps.COUNT; i++) {
                            flow.run(STEP, number * Steps.COUNT + i);
                        }
                        return number;
                    })
                    .handle(STEP, (context, step) -> run(step))
                    .concurrency(WORKERS)
                    .start();
        }

        private Integer run(int step) {
            handler.run(step, Piece.USUAL);
            return step;
        }

        @Override
        public void close() {
            semel.close();
        }
    }

    private record Answer(Submission<@Nullable String> submission) implements Receipt {

        @Override
        public Novelty novelty() {
            return submission.created() ? Novelty.NEW : Novelty.DUPLICATE;
        }

        @Override
        public boolean givesResults() {
            return true;
        }

        @Override
        public @Nullable String result(Duration limit) {
            return submission.result(limit);
        }
    }
}
