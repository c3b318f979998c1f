package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.schedule.Overlap;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.StoredSchedule;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.Durations;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three schedulers in processes of their own make the ticks of a schedule that ticks every second, while one of them is frozen and
 * another one is killed. {@code -Dschedulers=60s} runs it longer than the build does.
 */
@Timeout(600)
public abstract class ScheduleProcessContract {

    private static final Duration LENGTH = Durations.parse(System.getProperty("schedulers", "12s"));

    /** For subclasses. */
    protected ScheduleProcessContract() {}

    /**
     * The class that opens the store, here and in other processes.
     *
     * @return a public class with a public constructor that takes nothing
     */
    protected abstract Class<? extends StoreOpener> opener();

    /**
     * Creates a store without tasks.
     *
     * @return where it is
     * @throws Exception if it cannot be created
     */
    protected abstract String freshAddress() throws Exception;

    @Test
    @DisplayName("Three schedulers make each tick once and miss none, although one is frozen and one is killed")
    void eachTickOnce() throws Exception {
        String address = freshAddress();
        String opener = opener().getName();
        try (TaskStore store = StoreOpener.open(opener, address);
                Semel semel = Semel.on(store).build();
                Child frozen = Child.run(ScheduleProcessContract.class, opener, address);
                Child killed = Child.run(ScheduleProcessContract.class, opener, address);
                Child steady = Child.run(ScheduleProcessContract.class, opener, address)) {
            for (Child child : List.of(frozen, killed, steady)) {
                child.expect("started");
            }
            Instant begin = store.dueSchedules(1).now();
            semel.schedules()
                    .put(Schedule.every("often", Duration.ofSeconds(1))
                            .type(Tasks.TYPE)
                            .queue(Tasks.QUEUE)
                            .overlap(Overlap.ALLOW)
                            .end(begin.plus(LENGTH))
                            .build());
            awaitPosition(semel, begin.plus(LENGTH.dividedBy(6)));
            freeze(frozen, semel);
            awaitPosition(semel, begin.plus(LENGTH.dividedBy(3)));
            killed.kill();
            awaitPosition(semel, begin.plus(LENGTH.dividedBy(2)));
            frozen.thaw();
            await().atMost(Duration.ofMinutes(5))
                    .until(() -> semel.schedules().get("often").next().isEmpty());
            StoredSchedule ended = semel.schedules().get("often");
            assertThat(keys(store)).containsExactlyElementsOf(expected(ended, begin));
        }
    }

    /** Freezes a process, but not while it holds a lock of the store: then nobody could go on. */
    private static void freeze(Child child, Semel semel) throws Exception {
        while (true) {
            child.freeze();
            Instant before = semel.schedules().get("often").state().position();
            try {
                await().atMost(Duration.ofSeconds(4))
                        .until(() -> semel.schedules()
                                .get("often")
                                .state()
                                .position()
                                .isAfter(before));
                return;
            } catch (ConditionTimeoutException e) {
                child.thaw();
                awaitPosition(semel, before.plusSeconds(2));
            }
        }
    }

    private static void awaitPosition(Semel semel, Instant time) {
        await().atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> !semel.schedules().get("often").state().position().isBefore(time.minusSeconds(1)));
    }

    private static List<String> expected(StoredSchedule schedule, Instant begin) {
        List<String> keys = new ArrayList<>();
        Instant from = schedule.state().createdAt();
        assertThat(from).isAfterOrEqualTo(begin);
        for (Instant tick = schedule.definition().next(from).orElse(null); tick != null; ) {
            keys.add("often@" + tick);
            tick = schedule.definition().next(tick).orElse(null);
        }
        return keys.stream().sorted().toList();
    }

    private static List<String> keys(TaskStore store) {
        List<String> keys = new ArrayList<>();
        TaskId before = null;
        do {
            var page = store.list(new TaskQuery(null, Tasks.QUEUE, null, Set.of(), null, before, 1_000));
            page.tasks()
                    .forEach(task ->
                            keys.add(Objects.requireNonNull(task.identity()).key()));
            before = page.next();
        } while (before != null);
        return keys.stream().sorted().toList();
    }

    /**
     * A program that makes ticks.
     *
     * @param arguments the opener and the address
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        TaskStore store = StoreOpener.open(arguments[0], arguments[1]);
        Semel semel = Semel.on(store).schedulerInterval(Duration.ofMillis(200)).build();
        semel.startScheduler();
        System.out.println("started");
        new CountDownLatch(1).await(); // until it is killed
    }
}
