package dev.semel.benchmarks.peers;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.StorageProviderUtils.DatabaseOptions;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/** JobRunr. A key is the UUID of a job. */
final class JobRunrContestant implements Contestant {

    private static final int CONNECTIONS = 32;

    /** The shortest interval that it supports with a database. */
    private static final Duration POLL = Duration.ofSeconds(5);

    // It polls a second after the start, and then at the interval. After this wait it is about to poll, so that a
    // sample does not include part of the interval.
    private static final long ABOUT_TO_LOOK = 900_000_000;

    /** The input of a job; a class with fields, as its documentation shows. */
    public static final class Work implements JobRequest {
        private int number;
        private String filler;

        @SuppressWarnings("NullAway") // filled in by the mapper
        Work() {}

        Work(int number, String filler) {
            this.number = number;
            this.filler = filler;
        }

        @Override
        public Class<WorkHandler> getJobRequestHandler() {
            return WorkHandler.class;
        }
    }

    /** Runs a job. */
    public static final class WorkHandler implements JobRequestHandler<Work> {
        private final Handler handler;

        WorkHandler(Handler handler) {
            this.handler = handler;
        }

        @Override
        public void run(Work work) {
            handler.run(work.number, work.filler);
        }
    }

    @Override
    public String name() {
        return "JobRunr";
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(
                        "poll interval",
                        POLL.toSeconds() + " s",
                        "the shortest that it takes with a database; the default is 15 s. Samples begin when it is about to look"),
                new Choice(
                        "workers",
                        WORKERS + " virtual threads",
                        "the same for all; virtual is its default from Java 21. 128 were no faster here, 16 half as fast"),
                new Choice(
                        "connections",
                        Integer.toString(CONNECTIONS),
                        "no page gives a number; 10 was slower here, 16 and 64 about the same"),
                new Choice(
                        "jobs",
                        "`JobRequest` and handler",
                        "its documentation: no analysis of byte code, as for lambdas"),
                new Choice("mapper", "Jackson 3", "of those it brings; faster here than Jackson 2"),
                new Choice(
                        "submission with key",
                        "`enqueue(UUID, …)`",
                        "its documentation: a job whose id is there is not saved again; rising ids, which its index likes best"),
                new Choice(
                        "batches", "`create(Stream)` of 1,000", "its way to save many; fails if one is there already"),
                new Choice(
                        "dashboard, job filters",
                        "none",
                        "what does not run costs nothing; INFO lines of skipped jobs are switched off too"));
    }

    @Override
    public void makeTables(DataSource source) {
        new PostgresStorageProvider(source, DatabaseOptions.CREATE).close();
    }

    @Override
    public boolean hasBatches() {
        return true;
    }

    @Override
    public Duration looksEvery() {
        return POLL;
    }

    @Override
    public String unsettled() {
        return "SELECT count(*) FROM jobrunr_jobs WHERE state <> 'SUCCEEDED'";
    }

    @Override
    public String stored() {
        return "SELECT count(*) FROM jobrunr_jobs";
    }

    @Override
    public Session open(Place place, Handler handler) {
        JsonMapper mapper = new Jackson3JsonMapper();
        PostgresStorageProvider storage =
                new PostgresStorageProvider(place.pool(CONNECTIONS), DatabaseOptions.NO_VALIDATE);
        storage.setJobMapper(new JobMapper(mapper));
        return new Open(storage, mapper, new JobRequestScheduler(storage), new WorkHandler(handler));
    }

    /** Returns a UUID for each key; they ascend with the keys, which suits its index best. */
    private static UUID id(Piece piece) {
        return new UUID((1_700_000_000_000L + piece.number()) << 16 | 0x7000, 0x8000_0000_0000_0000L | piece.number());
    }

    private static final class Open implements Session {

        private final StorageProvider storage;
        private final JsonMapper mapper;
        private final JobRequestScheduler scheduler;
        private final WorkHandler handler;
        private @Nullable BackgroundJobServer server;

        Open(StorageProvider storage, JsonMapper mapper, JobRequestScheduler scheduler, WorkHandler handler) {
            this.storage = storage;
            this.mapper = mapper;
            this.scheduler = scheduler;
            this.handler = handler;
        }

        @Override
        public Receipt submit(Piece piece) {
            Work work = new Work(piece.number(), piece.filler());
            if (piece.key() == null) {
                scheduler.enqueue(work);
            } else {
                scheduler.enqueue(id(piece), work);
            }
            return Receipt.without(Receipt.Novelty.NOTHING);
        }

        @Override
        public void submitBatch(List<Piece> pieces) {
            scheduler.create(pieces.stream().map(piece -> {
                JobBuilder job = JobBuilder.aJob().withJobRequest(new Work(piece.number(), piece.filler()));
                return piece.key() == null ? job : job.withId(id(piece));
            }));
        }

        @Override
        public void work() {
            BackgroundJobServerConfiguration configuration =
                    BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                            .andWorkerCount(WORKERS)
                            .andPollInterval(POLL)
                            .andName("peers")
                            .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(5));
            BackgroundJobServer started = new BackgroundJobServer(storage, mapper, activator(), configuration);
            server = started;
            started.start();
            LockSupport.parkNanos(ABOUT_TO_LOOK);
        }

        private JobActivator activator() {
            return new JobActivator() {
                @Override
                public <T> T activateJob(Class<T> type) {
                    return type.cast(handler);
                }
            };
        }

        @Override
        public void close() {
            if (server != null) {
                server.stop();
            }
            storage.close();
        }
    }
}
