package dev.semel.benchmarks.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.serializer.JacksonSerializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** db-scheduler, polling by {@code lock-and-fetch}. A key is the id of a task's instance; a task that has run is deleted. */
final class DbSchedulerContestant implements Contestant {

    private static final int CONNECTIONS = 64;
    private static final double LOWER = 4.0;
    private static final double UPPER = 20.0;

    // The table for PostgreSQL from its sources, without the index for priorities, which are not used.
    private static final String TABLE = """
            CREATE TABLE scheduled_tasks (
              task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
              execution_time timestamp with time zone NOT NULL, picked boolean NOT NULL, picked_by text,
              last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int,
              last_heartbeat timestamp with time zone, version bigint NOT NULL, priority smallint,
              PRIMARY KEY (task_name, task_instance));
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            """;

    /** The input of a task; a class with fields, as the serializer requires. */
    static final class Work {
        int number;
        String filler;

        @SuppressWarnings("NullAway") // filled in by the serializer
        Work() {}

        Work(int number, String filler) {
            this.number = number;
            this.filler = filler;
        }
    }

    @Override
    public String name() {
        return "db-scheduler";
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(
                        "polling strategy",
                        "`lock-and-fetch`, from " + LOWER + " to " + UPPER + " times the threads",
                        "its page on performance: the faster strategy for more than 1,000 executions a second; these limits are"
                                + " the first of its benchmark, and were faster here than the README's 1.0 to 4.0"),
                new Choice("threads", Integer.toString(WORKERS), "the same for all"),
                new Choice(
                        "connections",
                        Integer.toString(CONNECTIONS),
                        "each thread deletes its task on a connection; no page gives a number, and 16 and 32 were slower here"),
                new Choice(
                        "immediate execution",
                        "on",
                        "README: tasks that are due now are looked for at once; without it an idle worker waits for its next"
                                + " look, by default ten seconds"),
                new Choice("table", "without the index for priorities", "priorities are off, so nothing would read it"),
                new Choice(
                        "serializer",
                        "its own for JSON by Jackson",
                        "README; smaller in the log than Java's serialization, the default, and faster here"),
                new Choice(
                        "submission without key",
                        "`scheduleBatch` of one",
                        "a single statement; the other methods look for the instance first"),
                new Choice("submission with key", "`scheduleIfNotExists`", "the one that says whether it was there"),
                new Choice("batches", "`scheduleBatch`", "fails as a whole if one is there already"),
                new Choice("driver", "`reWriteBatchedInserts`", "one statement for the rows of a batch; for all"));
    }

    @Override
    public void makeTables(DataSource source) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean hasBatches() {
        return true;
    }

    @Override
    public String unsettled() {
        return stored();
    }

    @Override
    public String stored() {
        return "SELECT count(*) FROM scheduled_tasks";
    }

    @Override
    public Session open(Place place, Handler handler) {
        OneTimeTask<Work> task = Tasks.oneTime("noop", Work.class).execute((instance, context) -> {
            Work work = instance.getData();
            handler.run(work.number, work.filler);
        });
        Scheduler scheduler = Scheduler.create(place.pool(CONNECTIONS), task)
                .serializer(new JacksonSerializer())
                .threads(WORKERS)
                .pollUsingLockAndFetch(LOWER, UPPER)
                .enableImmediateExecution()
                .schedulerName(new SchedulerName.Fixed("peers"))
                .shutdownMaxWait(Duration.ofSeconds(5))
                .build();
        return new Open(scheduler, task);
    }

    private record Open(Scheduler scheduler, OneTimeTask<Work> task) implements Session {

        private TaskInstance<Work> instance(Piece piece) {
            return task.instance(piece.name(), new Work(piece.number(), piece.filler()));
        }

        @Override
        public Receipt submit(Piece piece) {
            if (piece.key() == null) {
                scheduler.scheduleBatch(List.of(instance(piece)), Instant.now());
                return Receipt.without(Receipt.Novelty.NEW);
            }
            boolean created = scheduler.scheduleIfNotExists(instance(piece), Instant.now());
            return Receipt.without(created ? Receipt.Novelty.NEW : Receipt.Novelty.DUPLICATE);
        }

        @Override
        public void submitBatch(List<Piece> pieces) {
            List<TaskInstance<?>> instances = new ArrayList<>(pieces.size());
            pieces.forEach(piece -> instances.add(instance(piece)));
            scheduler.scheduleBatch(instances, Instant.now());
        }

        @Override
        public void work() {
            scheduler.start();
        }

        @Override
        public void close() {
            scheduler.stop();
        }
    }
}
