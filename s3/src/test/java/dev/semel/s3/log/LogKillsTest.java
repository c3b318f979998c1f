package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.Fault;
import dev.semel.s3.objects.FaultPlan;
import dev.semel.s3.objects.FaultyNetwork;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.ProcessKilled;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that dies before or after each of its requests leaves a log that works: one task for its key, completed once. */
@Timeout(120)
class LogKillsTest {

    private static final int MOST_REQUESTS = 60;

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private MemoryService service = new MemoryService(clock);
    private FaultyNetwork network = new FaultyNetwork(service.objects, 1);

    private LogSettings settings() {
        return LogSettings.standard().withDirectory(directory).withElapsed(service::now);
    }

    private ObjectStore connect(FaultPlan plan) {
        return service.connect(network.connect(plan));
    }

    private static boolean lives(TaskStore process, NewTask task) {
        try (process) {
            Tasks.submit(process, task);
            Claims claims = process.claim(Tasks.request(1));
            claims.tasks().forEach(claimed -> process.settle(List.of(new Settlement.Complete(claimed.lease(), "1"))));
            return true;
        } catch (StoreUnavailable e) {
            return false;
        }
    }

    private boolean lives(FaultPlan plan, NewTask task) {
        try {
            return lives(S3TaskStore.open(connect(plan), "dying", settings()), task);
        } catch (ProcessKilled | StoreUnavailable e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"KILLED_BEFORE", "KILLED_AFTER"})
    void aProcessThatDiesAtAnyRequestLeavesOneTaskThatIsCompletedOnce(Fault fault) {
        boolean survived = false;
        for (int at = 1; !survived; at++) {
            assertThat(at).isLessThan(MOST_REQUESTS);
            service = new MemoryService(clock);
            network = new FaultyNetwork(service.objects, at);
            // A large input, so that the object of the document is among the requests.
            NewTask task = Tasks.keyed("key-" + at, "\"" + "x".repeat(Documents.INLINE + 1) + "\"");
            survived = lives(FaultPlan.at(at, fault), task);
            try (S3TaskStore other = S3TaskStore.open(connect(FaultPlan.calm()), Replicas.WRITER, settings())) {
                assertThat(Tasks.submit(other, task)).as("at " + at).isInstanceOf(Submitted.Created.class);
                clock.advance(Tasks.LEASE.multipliedBy(2));
                other.claim(Tasks.request(5)).tasks().forEach(claimed -> {
                    assertThat(claimed.task().id()).isEqualTo(task.id());
                    other.settle(List.of(new Settlement.Complete(claimed.lease(), "2")));
                });
                assertThat(Tasks.stored(other)).containsExactly(task.id());
                assertThat(other.find(List.of(task.id()))
                                .get(task.id())
                                .progress()
                                .state())
                        .isEqualTo(TaskState.COMPLETED);
            }
            Replicas.compare(service, settings());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"KILLED_BEFORE", "KILLED_AFTER"})
    void aSnapshotOrCleaningThatDiesAtAnyRequestHarmsNothing(Fault fault) {
        boolean survived = false;
        for (int at = 1; !survived; at++) {
            assertThat(at).isLessThan(MOST_REQUESTS);
            service = new MemoryService(clock);
            network = new FaultyNetwork(service.objects, at);
            try (S3TaskStore store = S3TaskStore.open(connect(FaultPlan.calm()), Replicas.WRITER, settings())) {
                for (int i = 0; i < 3; i++) {
                    Tasks.submit(store, Tasks.plain());
                }
                store.takeSnapshot();
                Tasks.submit(store, Tasks.plain());
                clock.advance(LogCleaner.YOUNG.multipliedBy(2));
                survived = cleans(FaultPlan.at(at, fault));
                Tasks.submit(store, Tasks.plain());
                assertThat(Tasks.stored(store)).hasSize(5);
            }
            Replicas.compare(service, settings());
        }
    }

    private boolean cleans(FaultPlan plan) {
        try (LogReplica dying = LogReplica.open(connect(plan), "dying", settings())) {
            dying.takeSnapshot();
            dying.clean();
            return true;
        } catch (ProcessKilled | StoreUnavailable e) {
            return false;
        }
    }
}
