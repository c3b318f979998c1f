package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.Reading;
import dev.semel.sqlite.capture.Change;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.testkit.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the log contains and costs. */
@Timeout(60)
class LogReplicaTest {

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

    private String text(String name) {
        Reading.Found found = (Reading.Found) service.connect().get(name);
        return new String(found.object().content(), StandardCharsets.UTF_8);
    }

    @Test
    void anEntryNamesEverythingInFull() {
        try (S3TaskStore store = open()) {
            NewTask task = Tasks.keyed("charge-1", "{\"amount\":1}");
            Tasks.submit(store, task);
            assertThat(text(EntryText.name(1)))
                    .contains("{\"put\":\"task\",\"key\":{\"id\":\"" + task.id() + "\"}")
                    .contains("\"lane\":[\"" + task.tenant() + "\",\"" + Tasks.QUEUE + "\",\"" + Tasks.TYPE + "\"]")
                    .contains("charge-1");
        }
    }

    @Test
    void aSubmissionCostsOneRequestAndADuplicateOne() {
        try (S3TaskStore store = open()) {
            NewTask task = Tasks.keyed("charge-1", "{}");
            Tasks.submit(store, task);
            int before = service.requests.get();
            Tasks.submit(store, Tasks.keyed("charge-2", "{}"));
            assertThat(service.requests.get() - before).as("a submission").isEqualTo(1);
            before = service.requests.get();
            store.claim(Tasks.request(5));
            assertThat(service.requests.get() - before)
                    .as("a claim that finds tasks")
                    .isEqualTo(1);
            before = service.requests.get();
            assertThat(store.claim(Tasks.request(5)).tasks()).isEmpty();
            assertThat(service.requests.get() - before)
                    .as("a claim that finds nothing")
                    .isEqualTo(1);
            before = service.requests.get();
            store.find(List.of(task.id()));
            assertThat(service.requests.get() - before).as("a read").isEqualTo(1);
        }
    }

    @Test
    void aLargeInputIsAnObjectOfItsOwnAndComesBackWhole() {
        String input = "\"" + "x".repeat(100_000) + "\"";
        NewTask task = Tasks.withInput(input);
        try (S3TaskStore store = open()) {
            Tasks.submit(store, task);
        }
        assertThat(text(EntryText.name(1)).length()).isLessThan(5_000);
        List<ListedObject> documents =
                service.connect().list(Documents.PREFIX, "", 10).objects();
        assertThat(documents).hasSize(1);
        try (LogReplica other = LogReplica.open(service.connect(), "other", settings())) {
            assertThat(other.store().find(List.of(task.id())).get(task.id()).input())
                    .isEqualTo(input);
        }
    }

    @Test
    void aManyTimesTooLargeBatchIsOneEntryOfBoundedSize() {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            batch.add(Tasks.withInput("\"" + "x".repeat(10_000) + i + "\""));
        }
        try (S3TaskStore store = open()) {
            assertThat(store.submit(batch)).allMatch(answer -> answer instanceof Submitted.Created);
        }
        assertThat(text(EntryText.name(1)).length()).isLessThan(LogGate.ENTRY_BYTES);
        try (LogReplica other = LogReplica.open(service.connect(), "other", settings())) {
            assertThat(Tasks.stored(other.store())).hasSize(800);
        }
    }

    @Test
    void aReplicaIsKeptAfterACleanStopAndDiscardedAfterAnyOther() throws IOException {
        try (S3TaskStore store = open()) {
            for (int i = 0; i < 10; i++) {
                Tasks.submit(store, Tasks.plain());
            }
        }
        int before = service.requests.get();
        try (S3TaskStore store = open()) {
            assertThat(service.requests.get() - before)
                    .as("format, next entry, newest entry")
                    .isEqualTo(3);
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path mark : files.filter(file -> file.endsWith("clean")).toList()) {
                Files.delete(mark);
            }
        }
        before = service.requests.get();
        try (S3TaskStore store = open()) {
            assertThat(service.requests.get() - before).as("all entries").isGreaterThan(10);
            assertThat(Tasks.stored(store)).hasSize(10);
        }
    }

    @Test
    void whatALaterVersionWroteSurvivesASnapshotOfThisOne() {
        NewTask task = Tasks.plain();
        try (S3TaskStore store = open()) {
            Tasks.submit(store, task);
        }
        byte[] last = ((Reading.Found) service.connect().get(EntryText.name(1)))
                .object()
                .content();
        Map<String, Object> key = Map.of("id", task.id().toString());
        LogEntry entry = new LogEntry(
                2,
                EntryText.hash(last),
                clock.millis(),
                "later",
                List.of(
                        new Change("task", Change.Kind.SET, key, Map.of("failures", 7L, "colour", "green")),
                        new Change("planet", Change.Kind.PUT, Map.of("name", "Mars"), Map.of("moons", 2L))));
        service.connect().create(EntryText.name(2), EntryText.write(entry), Mark.next(new Random(1)));
        try (LogReplica log = LogReplica.open(service.connect(), "log", settings())) {
            assertThat(log.takeSnapshot()).isEqualTo(2);
        }
        Snapshots snapshots = new Snapshots(service.connect(), new Random(2));
        Snapshots.Manifest manifest = snapshots.find(2);
        String rows = text(manifest.parts().getFirst());
        assertThat(rows)
                .contains("{\"set\":\"task\",\"key\":{\"id\":\"" + task.id() + "\"},\"fields\":{\"colour\":\"green\"}}")
                .contains("{\"put\":\"planet\",\"key\":{\"name\":\"Mars\"},\"fields\":{\"moons\":2}}");
        try (LogReplica built = LogReplica.open(service.connect(), "built", settings())) {
            built.takeSnapshot();
            assertThat(built.store()
                            .find(List.of(task.id()))
                            .get(task.id())
                            .progress()
                            .failures())
                    .isEqualTo(7);
        }
    }

    @Test
    void processesThatCompeteAllGetTheirTurn() {
        int processes = 6;
        int each = 20;
        List<S3TaskStore> stores = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                stores.add(open());
            }
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (S3TaskStore store : stores) {
                all.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < each; i++) {
                                Tasks.submit(store, Tasks.keyed("key-" + i, "{}"));
                            }
                        },
                        task -> Thread.ofPlatform().start(task)));
            }
            all.forEach(CompletableFuture::join);
            for (S3TaskStore store : stores) {
                assertThat(Tasks.stored(store)).hasSize(each);
            }
        } finally {
            stores.forEach(S3TaskStore::close);
        }
        try (LogReplica log = LogReplica.open(service.connect(), "built", settings())) {
            List<Change> built = Replicas.rows(log);
            log.takeSnapshot();
            try (LogReplica again = LogReplica.open(service.connect(), "again", settings())) {
                assertThat(Replicas.rows(again)).isEqualTo(built);
            }
        }
    }
}
