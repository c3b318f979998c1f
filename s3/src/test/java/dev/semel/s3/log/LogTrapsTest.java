package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.Reading;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an entry holds, the time of the log, and what crashes leave behind. */
@Timeout(60)
class LogTrapsTest {

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final MemoryService service = new MemoryService(clock);

    private LogSettings settings() {
        return LogSettings.standard().withDirectory(directory).withElapsed(service::now);
    }

    private S3TaskStore open() {
        return S3TaskStore.open(service.connect(), "log", settings());
    }

    private byte[] entry(long number) {
        return ((Reading.Found) service.connect().get(EntryText.name(number)))
                .object()
                .content();
    }

    private List<String> names(String prefix) {
        return service.connect().list(prefix, "", 1_000).objects().stream()
                .map(ListedObject::name)
                .toList();
    }

    @Test
    void aHeartbeatDoesNotRepeatTheInput() {
        try (S3TaskStore store = open()) {
            Tasks.submit(store, Tasks.withInput("\"" + "x".repeat(10_000) + "\""));
            Claims claims = store.claim(Tasks.request(1));
            clock.advance(Duration.ofSeconds(10));
            store.settle(List.of(new Settlement.Extend(claims.tasks().getFirst().lease(), Tasks.LEASE)));
        }
        assertThat(entry(1).length).isGreaterThan(10_000);
        assertThat(entry(2).length).as("claim").isLessThan(2_000);
        assertThat(entry(3).length).as("heartbeat").isLessThan(1_000);
    }

    @Test
    void anEntryThatDoesNotFollowItsPredecessorIsNotApplied() {
        NewTask task = Tasks.plain();
        try (S3TaskStore store = open()) {
            Tasks.submit(store, task);
            LogEntry wrong = new LogEntry(2, "0".repeat(64), clock.millis(), "stranger", List.of());
            service.connect().create(EntryText.name(2), EntryText.write(wrong), Mark.next(new Random(1)));
            assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain())).isInstanceOf(StoreUnavailable.class);
        }
    }

    @Test
    void nothingIsWrittenThatIsMoreThanFiveSecondsAheadOfTheService() {
        try (S3TaskStore store = open()) {
            Tasks.submit(store, Tasks.plain());
            LogEntry early = new LogEntry(
                    2, EntryText.hash(entry(1)), clock.millis() + LogClock.MOST_AHEAD + 1_000, "early", List.of());
            service.connect().create(EntryText.name(2), EntryText.write(early), Mark.next(new Random(1)));
            NewTask task = Tasks.plain();
            assertThatThrownBy(() -> Tasks.submit(store, task))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("more than 5 s ahead");
            clock.advance(Duration.ofSeconds(1));
            assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
            assertThat(EntryText.read(entry(3)).time())
                    .as("it never falls")
                    .isEqualTo(EntryText.read(entry(2)).time());
        }
    }

    @Test
    void whatACrashLeftBehindIsDeletedAfterADayAndWhatIsNamedStays() {
        String orphan = Documents.PREFIX + "0".repeat(32) + ".json";
        String part = Snapshots.PARTS + EntryText.padded(0) + "/" + "0".repeat(32) + ".jsonl";
        String input = "\"" + "x".repeat(Documents.INLINE + 1) + "\"";
        NewTask task = Tasks.withInput(input);
        service.connect().create(orphan, "[]".getBytes(StandardCharsets.UTF_8), Mark.next(new Random(1)));
        service.connect().create(part, "{}\n".getBytes(StandardCharsets.UTF_8), Mark.next(new Random(2)));
        try (LogReplica log = LogReplica.open(service.connect(), "log", settings())) {
            Tasks.submit(log.store(), Tasks.plain());
            log.takeSnapshot();
            clock.advance(LogCleaner.ORPHANED.minusHours(1));
            Tasks.submit(log.store(), Tasks.plain());
            log.takeSnapshot();
            Tasks.submit(log.store(), Tasks.plain());
            log.takeSnapshot();
            log.clean();
            assertThat(names(Documents.PREFIX)).as("not yet a day old").containsExactly(orphan);
            clock.advance(Duration.ofHours(4));
            Tasks.submit(log.store(), task);
            log.takeSnapshot();
            Tasks.submit(log.store(), Tasks.plain());
            log.takeSnapshot();
            log.clean();
            assertThat(names(Documents.PREFIX)).hasSize(1).doesNotContain(orphan);
            assertThat(names(Snapshots.PARTS)).doesNotContain(part);
        }
        try (LogReplica built = LogReplica.open(service.connect(), "built", settings())) {
            assertThat(built.store().find(List.of(task.id())).get(task.id()).input())
                    .isEqualTo(input);
        }
    }

    @Test
    void replicasThatNobodyHasUsedForAMonthAreDeleted() throws IOException {
        try (S3TaskStore store = open()) {
            Tasks.submit(store, Tasks.plain());
        }
        Path abandoned = Files.createDirectories(directory.resolve("abandoned-0"));
        Files.writeString(abandoned.resolve("replica.db"), "old");
        Path recent = Files.createDirectories(directory.resolve("recent-0"));
        for (Path each : List.of(abandoned, recent)) {
            Files.writeString(each.resolve("lock"), "1");
        }
        FileTime now = Files.getLastModifiedTime(recent.resolve("lock"));
        Files.setLastModifiedTime(
                abandoned.resolve("lock"),
                FileTime.from(now.toInstant().minus(ReplicaDirectory.ABANDONED).minusSeconds(60)));
        try (S3TaskStore store = open()) {
            assertThat(Tasks.stored(store)).hasSize(1);
        }
        assertThat(abandoned).doesNotExist();
        assertThat(recent).exists();
    }
}
