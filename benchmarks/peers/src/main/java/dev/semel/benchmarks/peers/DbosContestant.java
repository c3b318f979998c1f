package dev.semel.benchmarks.peers;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.DBOSClient;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.migrations.MigrationManager;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** DBOS Transact. A task is a workflow without steps, a key its id. */
final class DbosContestant implements Contestant {

    private static final int CONNECTIONS = 32;
    private static final Duration POLL = Duration.ofMillis(10);

    // One thread drains each queue, with about five sequential round trips for each workflow; there are as many such
    // threads as processors.
    private static final int QUEUES = Runtime.getRuntime().availableProcessors();

    private static final String QUEUE = "peers";
    private static final String VERSION = "peers";

    private final boolean deduplicationIds;

    /**
     * Chooses what a key is.
     *
     * @param deduplicationIds whether it is the deduplication id in a queue; otherwise the id of the workflow
     */
    DbosContestant(boolean deduplicationIds) {
        this.deduplicationIds = deduplicationIds;
    }

    /** The workflows; an interface, because they are called through a proxy. */
    interface Work {
        /** The measured workflow. */
        @Nullable
        String noop(int number, String filler);

        /** A workflow whose steps run in it. */
        int local(int number);

        /** A workflow whose steps are workflows in a queue. */
        int queued(int number);
    }

    /** The workflows. */
    static final class Noop implements Work {
        private final Handler handler;
        private final DBOS dbos;
        private final AtomicReference<@Nullable Work> proxy = new AtomicReference<>();

        Noop(Handler handler, DBOS dbos) {
            this.handler = handler;
            this.dbos = dbos;
        }

        @Override
        @Workflow(name = "local")
        public int local(int number) {
            for (int i = 0; i < Steps.COUNT; i++) {
                int step = number * Steps.COUNT + i;
                dbos.runStep(() -> handler.run(step, Piece.USUAL), "step");
            }
            return number;
        }

        @Override
        @Workflow(name = "queued")
        public int queued(int number) {
            Work here = Objects.requireNonNull(proxy.get());
            for (int i = 0; i < Steps.COUNT; i++) {
                int step = number * Steps.COUNT + i;
                WorkflowHandle<@Nullable String, RuntimeException> started = dbos.startWorkflow(
                        () -> here.noop(step, Piece.USUAL),
                        new StartWorkflowOptions().withQueue(QUEUE + step % QUEUES));
                String unused = started.getResult();
            }
            return number;
        }

        @Override
        @Workflow(name = "noop")
        public @Nullable String noop(int number, String filler) {
            return handler.run(number, filler);
        }
    }

    @Override
    public String name() {
        return deduplicationIds ? "DBOS Transact, deduplication id" : "DBOS Transact";
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(
                        "connections",
                        Integer.toString(CONNECTIONS),
                        "it opens 10 by itself; 20 to 40 were up to half faster here"),
                new Choice(
                        "queues",
                        QUEUES + ", one for each processor",
                        "one thread empties a queue, workflow by workflow; with one queue the drain was half as fast"
                                + " here"),
                new Choice(
                        "worker concurrency",
                        WORKERS + " in all queues together",
                        "the same for all; without a limit it fetches all tasks in one batch, which was slower here"),
                new Choice("polling interval", POLL.toMillis() + " ms", "the default is a second; 1 ms was no faster"),
                new Choice(
                        "submission",
                        "`DBOSClient.enqueueWorkflow`",
                        "its documentation: the way in for programs that submit; there are no batches"),
                new Choice(
                        "whole life and idle latency",
                        "`startWorkflow` without a queue",
                        "starts it in the process that submits; five times as fast as through a queue here"),
                new Choice("key", "the workflow's id", "its documentation: that is its idempotency key"),
                new Choice("steps", "none, unless workflows are measured", "a step would be one more row"),
                new Choice(
                        "steps of workflows",
                        "`runStep`, or workflows in the queues above",
                        "its documentation: a step runs in its workflow; what is queued is a workflow"));
    }

    @Override
    public void makeTables(DataSource source) {
        MigrationManager.runMigrations(config(source));
    }

    private static DBOSConfig config(DataSource source) {
        return DBOSConfig.defaults("peers").withDataSource(source).withAppVersion(VERSION);
    }

    @Override
    public boolean hasBatches() {
        return false;
    }

    @Override
    public boolean hasWorkflows() {
        return true;
    }

    @Override
    public String unsettled() {
        return "SELECT count(*) FROM dbos.workflow_status WHERE status <> 'SUCCESS'";
    }

    @Override
    public String stored() {
        return "SELECT count(*) FROM dbos.workflow_status";
    }

    @Override
    public Session open(Place place, Handler handler) {
        return new Open(place.pool(CONNECTIONS), handler);
    }

    private final class Open implements Session {

        private final DataSource source;
        private final Handler handler;
        private final DBOSClient client;
        private @Nullable DBOS dbos;
        private @Nullable Work proxy;

        Open(DataSource source, Handler handler) {
            this.source = source;
            this.handler = handler;
            this.client = new DBOSClient(source);
        }

        @Override
        public Receipt submit(Piece piece) {
            DBOSClient.EnqueueOptions options = new DBOSClient.EnqueueOptions("noop", QUEUE + piece.number() % QUEUES)
                    .withClassName(Noop.class.getName())
                    .withAppVersion(VERSION);
            options = deduplicationIds ? options.withDeduplicationId(piece.key()) : options.withWorkflowId(piece.key());
            return new Answer(client.enqueueWorkflow(options, new Object[] {piece.number(), piece.filler()}));
        }

        @Override
        public Receipt submitHere(Piece piece) {
            StartWorkflowOptions options =
                    piece.key() == null ? new StartWorkflowOptions() : new StartWorkflowOptions(piece.key());
            Work here = Objects.requireNonNull(proxy);
            return new Answer(Objects.requireNonNull(dbos)
                    .startWorkflow(() -> here.noop(piece.number(), piece.filler()), options));
        }

        @Override
        public void submitBatch(List<Piece> pieces) {
            throw new UnsupportedOperationException("DBOS Transact submits one at a time");
        }

        @Override
        public void startWorkflow(int number, Steps steps) {
            Work here = Objects.requireNonNull(proxy);
            StartWorkflowOptions options = new StartWorkflowOptions(Piece.key(number));
            WorkflowHandle<Integer, RuntimeException> unused = Objects.requireNonNull(dbos)
                    .startWorkflow(
                            () -> switch (steps) {
                                case LOCAL -> here.local(number);
                                case QUEUED -> here.queued(number);
                            },
                            options);
        }

        @Override
        public void workOnWorkflows() {
            work();
        }

        @Override
        public void work() {
            DBOS started = new DBOS(config(source).withMigrate(false));
            Noop workflows = new Noop(handler, started);
            proxy = started.registerProxy(Work.class, workflows);
            workflows.proxy.set(proxy);
            for (int queue = 0; queue < QUEUES; queue++) {
                started.registerQueue(new Queue(QUEUE + queue)
                        .withWorkerConcurrency(WORKERS / QUEUES)
                        .withPollingInterval(POLL));
            }
            started.launch();
            dbos = started;
        }

        @Override
        public void close() {
            client.close();
            if (dbos != null) {
                dbos.close();
            }
        }
    }

    private record Answer(WorkflowHandle<@Nullable String, ?> handle) implements Receipt {

        @Override
        public Novelty novelty() {
            return Novelty.NOTHING;
        }

        @Override
        public boolean givesResults() {
            return true;
        }

        @Override
        public @Nullable String result(Duration limit) {
            try {
                return handle.getResult();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
