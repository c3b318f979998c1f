package dev.semel.s3.log;

import dev.semel.s3.objects.ObjectStore;
import dev.semel.sqlite.SqliteReplica;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.schema.TaskSchema;
import dev.semel.store.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that a process has open: its replica, and the thread that looks for entries of others, takes snapshots and cleans.
 */
public final class LogReplica implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LogReplica.class);

    // After an entry of another process more are likely soon.
    private static final Duration BUSY_LOOK = Duration.ofMillis(250);

    private static final Duration SNAPSHOT_CHECK = Duration.ofSeconds(10);

    private final LogSettings settings;
    private final LogGate gate;
    private final ReplicaDirectory directory;
    private final SqliteReplica replica;
    private final Snapshots snapshots;
    private final LogCleaner cleaner;
    private final ScheduledThreadPoolExecutor thread;
    private final AtomicBoolean watching = new AtomicBoolean();

    // Used by the thread only.
    private long seen;
    private long snapshotAt = -1;

    private LogReplica(ObjectStore objects, LogSettings settings, Opened opened) {
        this.settings = settings;
        this.gate = opened.gate();
        this.directory = opened.directory();
        this.replica = opened.replica();
        this.snapshots = new Snapshots(objects, settings.random());
        this.cleaner = new LogCleaner(objects, snapshots);
        this.thread = new ScheduledThreadPoolExecutor(
                1, task -> Thread.ofPlatform().name("semel-s3-log").daemon().unstarted(task));
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        long check = SNAPSHOT_CHECK.toMillis();
        Future<?> unused = thread.scheduleWithFixedDelay(this::takeSnapshotIfDue, check, check, TimeUnit.MILLISECONDS);
    }

    private record Opened(LogGate gate, ReplicaDirectory directory, SqliteReplica replica) {}

    /**
     * Opens a log; begins it if there is none.
     *
     * @param objects the objects of the prefix
     * @param address identifies the prefix, so that a replica of another one is never used
     * @param settings how the store behaves
     * @return the log
     */
    public static LogReplica open(ObjectStore objects, String address, LogSettings settings) {
        LogClock clock = new LogClock(settings.elapsed());
        // Also asks the service for its time, before anything is decided by it. The hash makes a prefix that was
        // emptied
        // and begun again another log.
        String first = Genesis.hash(objects, settings.random(), clock);
        String name = EntryText.hash(address + "\n" + first).substring(0, 24) + "-v" + TaskSchema.VERSION;
        ReplicaDirectory directory = ReplicaDirectory.open(settings.directory(), name);
        LogGate gate = new LogGate(objects, settings.random(), clock);
        try {
            SqliteSettings sqlite = SqliteSettings.standard()
                    .withClock(clock)
                    .withElapsed(clock)
                    .withReaders(3);
            SqliteReplica replica = SqliteReplica.open(directory.file(), sqlite, gate);
            return new LogReplica(objects, settings, new Opened(gate, directory, replica));
        } catch (RuntimeException | Error e) {
            gate.close();
            directory.close();
            throw e;
        }
    }

    /**
     * Returns the store on the replica.
     *
     * @return the store
     */
    public TaskStore store() {
        return replica.store();
    }

    /** Looks for entries of other processes from now on, so that listeners are notified of them. */
    public void watch() {
        if (watching.compareAndSet(false, true)) {
            Future<?> unused = thread.schedule(this::look, BUSY_LOOK.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        boolean busy = false;
        try {
            replica.refresh();
            long now = number();
            busy = now != seen;
            seen = now;
        } catch (RuntimeException e) {
            // Whatever it was, the next look comes: listeners also poll, but seldom.
            LOG.debug("Look for new entries failed", e);
        }
        Duration pause = busy ? BUSY_LOOK : settings.idleLook();
        Future<?> unused = thread.schedule(this::look, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private long number() {
        Position at = gate.position();
        return at == null ? 0 : at.number();
    }

    private void takeSnapshotIfDue() {
        try {
            if (snapshotAt < 0 || number() - snapshotAt >= settings.snapshotEntries()) {
                List<Long> numbers = snapshots.numbers();
                snapshotAt = numbers.isEmpty() ? 0 : numbers.getLast();
            }
            if (number() - snapshotAt >= settings.snapshotEntries()) {
                takeSnapshot();
            }
        } catch (RuntimeException e) {
            LOG.debug("Snapshot failed", e);
        }
    }

    /**
     * Takes a snapshot now.
     *
     * @return the number of the entry after which it was taken
     */
    public long takeSnapshot() {
        long number = replica.read(catalog -> snapshots.write(catalog.session()));
        LOG.debug("Snapshot taken: entry={}", number);
        return number;
    }

    /**
     * Deletes objects that can never be needed again.
     *
     * @return how many were deleted
     */
    public int clean() {
        return cleaner.clean();
    }

    /** The replica, for tests that compare it with another. */
    SqliteReplica replica() {
        return replica;
    }

    /** Closes the replica and keeps it for the next run. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            replica.close();
            directory.keep();
        } finally {
            directory.close();
        }
    }
}
