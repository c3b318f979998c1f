package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that were away while the log was cleaned never write or read another history than the others. */
@Timeout(120)
class ForksTest {

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final MemoryService service = new MemoryService(clock);
    private final List<TaskId> accepted = new ArrayList<>();

    private LogSettings settings() {
        return LogSettings.standard().withDirectory(directory).withElapsed(service::now);
    }

    private S3TaskStore open() {
        return S3TaskStore.open(service.connect(), "log", settings());
    }

    private LogReplica openLog(ObjectStore objects, String name) {
        return LogReplica.open(objects, name, settings());
    }

    private void submit(TaskStore store) {
        NewTask task = Tasks.plain();
        assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
        accepted.add(task.id());
    }

    /** Writes two snapshots with entries between them, and lets everything grow old. */
    private void grow(LogReplica log) {
        for (int i = 0; i < 20; i++) {
            submit(log.store());
        }
        log.takeSnapshot();
        for (int i = 0; i < 5; i++) {
            submit(log.store());
        }
        log.takeSnapshot();
        clock.advance(Duration.ofHours(2));
    }

    private void assertNothingIsLost() {
        try (LogReplica fresh = openLog(service.connect(), "fresh")) {
            assertThat(Tasks.stored(fresh.store())).containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void aWriterThatWasAwayWritesAfterTheOthers() {
        try (S3TaskStore zombie = open();
                LogReplica log = openLog(service.connect(), "other")) {
            submit(zombie);
            grow(log);
            assertThat(log.clean()).isPositive();
            submit(zombie);
            assertThat(Tasks.stored(zombie)).containsExactlyInAnyOrderElementsOf(accepted);
            assertThat(Tasks.stored(log.store())).containsExactlyInAnyOrderElementsOf(accepted);
        }
        assertNothingIsLost();
    }

    @Test
    void aReaderThatWasAwayReadsWhatTheOthersWrote() {
        try (S3TaskStore zombie = open();
                LogReplica log = openLog(service.connect(), "other")) {
            submit(zombie);
            grow(log);
            assertThat(log.clean()).isPositive();
            assertThat(Tasks.stored(zombie)).containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void anEntryThatAZombieLeftBehindMisleadsNobody() {
        S3TaskStore reader = open();
        submit(reader);
        reader.close();
        try (S3TaskStore zombie = open();
                LogReplica log = openLog(service.connect(), "other")) {
            grow(log);
            assertThat(log.clean()).isPositive();
            submit(zombie);
        }
        assertThat(service.connect().get(EntryText.name(2))).isInstanceOf(Reading.Found.class);
        // Both kept replicas are at entry 1, and entry 2 follows it.
        try (S3TaskStore first = open();
                S3TaskStore second = open()) {
            assertThat(Tasks.stored(first)).containsExactlyInAnyOrderElementsOf(accepted);
            assertThat(Tasks.stored(second)).containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void aReaderThatCleaningOvertakesWhileItFollowsStartsAgain() {
        try (S3TaskStore zombie = open()) {
            submit(zombie);
        }
        try (LogReplica log = openLog(service.connect(), "other")) {
            grow(log);
            ObjectStore overtaken = new Disturbed(service.connect()) {
                @Override
                public Reading get(String name) {
                    // The reader has seen entries 2 and 3 and would take the end of the cleaned ones for the end of the
                    // log.
                    if (name.equals(EntryText.name(4))) {
                        log.clean();
                    }
                    return super.get(name);
                }
            };
            try (S3TaskStore reader = S3TaskStore.open(overtaken, "log", settings())) {
                assertThat(Tasks.stored(reader)).containsExactlyInAnyOrderElementsOf(accepted);
                submit(reader);
            }
            assertThat(Tasks.stored(log.store())).containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void aNewProcessWithAnOldListFindsTheSnapshotInTheEnd() {
        List<Listing> old = new ArrayList<>();
        try (LogReplica log = openLog(service.connect(), "other")) {
            submit(log.store());
            old.add(service.connect().list(Snapshots.PREFIX, "", 1_000));
            log.takeSnapshot();
            old.add(service.connect().list(Snapshots.PREFIX, "", 1_000));
            grow(log);
            assertThat(log.clean()).isPositive();
            ObjectStore stale = new Disturbed(service.connect()) {
                @Override
                public Listing list(String prefix, String after, int limit) {
                    boolean isOld = prefix.equals(Snapshots.PREFIX) && !old.isEmpty();
                    return isOld ? old.removeFirst() : super.list(prefix, after, limit);
                }
            };
            try (LogReplica late = openLog(stale, "late")) {
                assertThat(old).isEmpty();
                submit(late.store());
                assertThat(Tasks.stored(late.store())).containsExactlyInAnyOrderElementsOf(accepted);
            }
            assertThat(Tasks.stored(log.store())).containsExactlyInAnyOrderElementsOf(accepted);
        }
    }

    @Test
    void zombiesAtEveryEntryActWhileCleaningRuns() {
        List<S3TaskStore> zombies = new ArrayList<>();
        try (LogReplica log = openLog(service.connect(), "other")) {
            for (int i = 0; i < 6; i++) {
                zombies.add(open());
                submit(log.store());
            }
            grow(log);
            int[] deletions = {0};
            Consumer<String> between = name -> {
                S3TaskStore zombie = zombies.get(deletions[0]++ % zombies.size());
                if (deletions[0] % 2 == 0) {
                    submit(zombie);
                } else {
                    assertThat(Tasks.stored(zombie)).containsExactlyInAnyOrderElementsOf(accepted);
                }
            };
            ObjectStore disturbed = new Disturbed(service.connect()) {
                @Override
                public Instant delete(String name) {
                    Instant date = super.delete(name);
                    between.accept(name);
                    return date;
                }
            };
            new LogCleaner(disturbed, new Snapshots(disturbed, settings().random())).clean();
            assertThat(deletions[0]).isGreaterThan(20);
            assertThat(Tasks.stored(log.store())).containsExactlyInAnyOrderElementsOf(accepted);
        } finally {
            zombies.forEach(S3TaskStore::close);
        }
        assertNothingIsLost();
    }

    @Test
    void nothingThatIsYoungOrNeededIsCleaned() {
        try (LogReplica log = openLog(service.connect(), "other")) {
            submit(log.store());
            long older = log.takeSnapshot();
            submit(log.store());
            log.takeSnapshot();
            assertThat(log.clean()).as("young").isZero();
            clock.advance(Duration.ofHours(2));
            assertThat(log.clean())
                    .as("entries before the second-newest snapshot")
                    .isEqualTo((int) older);
            assertThat(log.clean()).isZero();
            assertThat(service.connect().get(EntryText.name(older - 1))).isInstanceOf(Reading.Absent.class);
            assertThat(service.connect().get(EntryText.name(older))).isInstanceOf(Reading.Found.class);
            assertThat(service.connect().get(Snapshots.name(older))).isInstanceOf(Reading.Found.class);
        }
    }

    @Test
    void aCleanerDoesNotTrustAListThatLacksAnEntry() {
        try (LogReplica log = openLog(service.connect(), "other")) {
            grow(log);
            ObjectStore lacking = new Disturbed(service.connect()) {
                @Override
                public Listing list(String prefix, String after, int limit) {
                    Listing page = super.list(prefix, after, limit);
                    return prefix.equals("log/")
                            ? new Listing(page.objects().stream().skip(3).toList(), page.more(), page.date())
                            : page;
                }
            };
            assertThat(new LogCleaner(lacking, new Snapshots(lacking, settings().random())).clean())
                    .isZero();
        }
    }

    /** An object store that a test disturbs. */
    private static class Disturbed implements ObjectStore {

        private final ObjectStore below;

        Disturbed(ObjectStore below) {
            this.below = below;
        }

        @Override
        public Creation create(String name, byte[] content, Mark mark) {
            return below.create(name, content, mark);
        }

        @Override
        public Reading get(String name) {
            return below.get(name);
        }

        @Override
        public Listing list(String prefix, String after, int limit) {
            return below.list(prefix, after, limit);
        }

        @Override
        public Instant delete(String name) {
            return below.delete(name);
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
