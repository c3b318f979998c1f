package dev.semel.storetests.storm;

import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.storetests.storm.StormWeather.Condition;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One round of a storm: a fresh store, a few seconds of calls by many threads, and the judgement. */
final class StormRound {

    private static final long LOCKS_LEFT_NANOS = 10_000_000_000L;

    private static final int ACTORS = 8;
    static final int HANDLES = 2;
    private static final int MOST_AT_ONCE = 1_000;
    private static final long TICK_MILLIS = 2;

    // Of ticks: a process needs some hundred of them to start.
    private static final int KILL_ONE_IN = 400;

    /**
     * The result of a round.
     *
     * @param violations what is wrong
     * @param calls how many calls were sent
     * @param lost how many of them had no answer
     * @param undecided the number of identities for which the checker could not decide whether an order explains the answers
     * @param tasks how many tasks were stored at the end
     */
    record Result(List<String> violations, long calls, long lost, int undecided, int tasks) {}

    private final StormStorage storage;
    private final long seed;
    private final StormWeather weather;
    private final int mostCalls;
    private final Duration patience;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<String> violations = new ArrayList<>();

    /**
     * Makes a round.
     *
     * @param storage the store to try
     * @param seed decides all choices
     * @param mostCalls how many calls each actor sends at most: a fast store would give the checker more to think about than
     *     a round is worth
     * @param patience how long a call may take before it hangs
     */
    StormRound(StormStorage storage, long seed, int mostCalls, Duration patience) {
        this.storage = storage;
        this.seed = seed;
        this.mostCalls = mostCalls;
        this.patience = patience;
        this.weather = StormWeather.of(seed);
    }

    StormWeather weather() {
        return weather;
    }

    Result run(Duration length) throws InterruptedException {
        Path file = weather.has(Condition.PROCESSES) ? newFile() : null;
        try {
            return run(new StormClock(file == null ? new ManualClock() : ManualClock.shared(file), ACTORS), length);
        } finally {
            if (file != null) {
                boolean unused = file.toFile().delete();
            }
        }
    }

    private static Path newFile() {
        try {
            return Files.createTempFile("semel-storm-clock", null);
        } catch (IOException e) {
            throw new UncheckedIOException("The storm's clock has no place", e);
        }
    }

    private Result run(StormClock clock, Duration length) throws InterruptedException {
        List<TaskStore> handles = new ArrayList<>();
        handles.add(storage.open(clock.manual()));
        try {
            while (handles.size() < HANDLES) {
                handles.add(storage.openAnother());
            }
            handles.getFirst().operate(StormQueues.of(weather).declarations());
            StoreProcess elsewhere = weather.has(Condition.PROCESSES) ? storage.openElsewhere() : null;
            if (elsewhere != null) {
                handles.add(elsewhere.store());
                // Starts it, before the time of the round begins.
                elsewhere.store().find(List.of());
            }
            List<StormActor> actors = blow(handles, elsewhere, clock, length);
            return judge(handles.getFirst(), clock, actors);
        } finally {
            handles.reversed().forEach(TaskStore::close);
        }
    }

    // ---- the storm

    private List<StormActor> blow(
            List<TaskStore> handles, @Nullable StoreProcess elsewhere, StormClock clock, Duration length)
            throws InterruptedException {
        StormBoard board = new StormBoard();
        List<StormActor> actors = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ACTORS; i++) {
            StormActor actor = new StormActor(
                    i,
                    seed,
                    weather,
                    storage,
                    handles,
                    clock,
                    board,
                    history -> over.getCount() == 0 || history.calls() >= mostCalls);
            actors.add(actor);
            threads.add(Thread.ofPlatform().daemon().name("storm-" + i).unstarted(actor));
        }
        threads.forEach(Thread::start);
        StormPlan plan = new StormPlan(seed, ACTORS, weather, clock);
        long end = System.nanoTime() + length.toNanos();
        while (System.nanoTime() - end < 0 && threads.stream().anyMatch(Thread::isAlive)) {
            clock.advance(plan.tick());
            if (weather.has(Condition.INTERRUPTS) && plan.oneIn(100)) {
                plan.pick(threads).interrupt();
            }
            if (weather.has(Condition.DISTURBANCES) && plan.oneIn(40)) {
                storage.disturb(plan.random);
            }
            if (weather.has(Condition.DISTURBANCES) && elsewhere != null && plan.oneIn(KILL_ONE_IN)) {
                elsewhere.kill();
            }
            boolean unused = over.await(TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
        over.countDown();
        long hangsFrom = System.nanoTime() + patience.toNanos();
        for (Thread thread : threads) {
            boolean unused = thread.join(Duration.ofNanos(Math.max(1, hangsFrom - System.nanoTime())));
            if (thread.isAlive()) {
                violations.add(thread.getName() + " does not come back:\n  "
                        + String.join(
                                "\n  ",
                                Arrays.stream(thread.getStackTrace())
                                        .map(Object::toString)
                                        .toList()));
            }
        }
        threads.forEach(Thread::interrupt);
        return actors;
    }

    // ---- the judgement

    private Result judge(TaskStore store, StormClock clock, List<StormActor> actors) {
        List<StormHistory> histories =
                new ArrayList<>(actors.stream().map(StormActor::history).toList());
        long calls = histories.stream().mapToLong(StormHistory::calls).sum();
        long lost = histories.stream().mapToLong(StormHistory::lostCalls).sum();
        if (!violations.isEmpty()) {
            return new Result(violations, calls, lost, 0, 0);
        }
        List<Task> stored = patiently(() -> stored(store));
        Set<Identity> identities = new LinkedHashSet<>();
        List<StormHistory> ofActors = List.copyOf(histories);
        histories.add(patiently(() -> lastLook(store, clock, ofActors, identities)));
        StormChecker checker = new StormChecker(clock, StormQueues.of(weather), histories, stored);
        violations.addAll(
                checker.check(StormQueues.CONCURRENCIES, weather.seriesEnd() || weather.has(Condition.SWEEPS)));
        try {
            check(store, identities);
            drain(store, clock.manual());
            check(store, identities);
        } catch (AssertionError e) {
            violations.add("what is stored does not fit together: " + e.getMessage());
        }
        if (!violations.isEmpty()) {
            violations.add(StormReport.write(seed, histories));
        }
        return new Result(violations, calls, lost, checker.undecided(), stored.size());
    }

    /**
     * Works off all that is open. A connection that was cut, or a process that was killed, may hold its locks for a moment
     * longer, and a claim passes over what is locked; so this is tried again for a while.
     */
    private static void drain(TaskStore store, ManualClock clock) {
        long deadline = System.nanoTime() + LOCKS_LEFT_NANOS;
        while (true) {
            try {
                StoreInvariants.drain(store, clock);
                return;
            } catch (AssertionError | StoreUnavailable e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    private static void check(TaskStore store, Set<Identity> identities) {
        boolean unused = patiently(() -> {
            StoreInvariants.check(store, identities);
            return true;
        });
    }

    /** Reads until the store answers: a pool may still hand out a connection that the storm has cut. */
    private static <T> T patiently(Supplier<T> read) {
        long deadline = System.nanoTime() + LOCKS_LEFT_NANOS;
        while (true) {
            try {
                return read.get();
            } catch (StoreUnavailable e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    private static List<Task> stored(TaskStore store) {
        List<Task> all = new ArrayList<>();
        TaskQuery query = TaskQuery.all(TaskQuery.MAX_LIMIT);
        while (true) {
            Page page = store.list(query);
            all.addAll(page.tasks());
            TaskId next = page.next();
            if (next == null) {
                return all;
            }
            query = query.after(next);
        }
    }

    /** Looks at every task and every record that was ever submitted: nothing that was answered may be lost. */
    private static StormHistory lastLook(
            TaskStore store, StormClock clock, List<StormHistory> histories, Set<Identity> identities) {
        Set<TaskId> ids = new LinkedHashSet<>();
        for (StormHistory history : histories) {
            for (StormOperation operation : history.operations()) {
                if (operation.action() instanceof StormOperation.Submit(NewTask item, var answer)) {
                    ids.add(item.id());
                    if (item.key() != null) {
                        identities.add(item.key().identity());
                    }
                }
            }
        }
        StormHistory last = new StormHistory();
        readWorkflows(store, clock, histories, last);
        List<TaskId> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += MOST_AT_ONCE) {
            List<TaskId> part = all.subList(from, Math.min(all.size(), from + MOST_AT_ONCE));
            long asked = System.nanoTime();
            Map<TaskId, Task> found = store.find(part);
            Span span = new Span(asked, System.nanoTime(), clock.millis(), clock.millis());
            part.forEach(id -> last.add(new StormOperation(
                    ACTORS, span, null, new StormOperation.Look(id, found.get(id)), Certainty.ANSWERED)));
        }
        List<Identity> known = List.copyOf(identities);
        for (int from = 0; from < known.size(); from += MOST_AT_ONCE) {
            List<Identity> part = known.subList(from, Math.min(known.size(), from + MOST_AT_ONCE));
            long asked = System.nanoTime();
            Map<Identity, KeyRecord> found = store.records(part);
            Span span = new Span(asked, System.nanoTime(), clock.millis(), clock.millis());
            part.forEach(identity -> last.add(new StormOperation(
                    ACTORS, span, null, new StormOperation.LookUp(identity, found.get(identity)), Certainty.ANSWERED)));
        }
        lookForLetters(store, clock, histories, identities, last);
        return last;
    }

    /** Reads the whole histories of all workflows; who is looked at before and after that has not changed meanwhile. */
    private static void readWorkflows(
            TaskStore store, StormClock clock, List<StormHistory> histories, StormHistory last) {
        Set<TaskId> flows = new LinkedHashSet<>();
        for (StormHistory history : histories) {
            for (StormOperation operation : history.operations()) {
                if (operation.action() instanceof StormOperation.Submit(NewTask item, var answer)
                        && item.type().equals(StormPlan.FLOW)) {
                    flows.add(item.id());
                }
            }
        }
        for (TaskId flow : flows) {
            History.Query query = History.Query.whole(flow);
            long asked = System.nanoTime();
            History found = store.histories(List.of(query)).get(flow);
            Span span = new Span(asked, System.nanoTime(), clock.millis(), clock.millis());
            if (found != null) {
                last.flows().read(new FlowHistory.Read(query, 1, found, span));
            }
        }
    }

    /** Looks for the dead letter of each death that was reported or seen: there is one, or the task did not die. */
    private static void lookForLetters(
            TaskStore store,
            StormClock clock,
            List<StormHistory> histories,
            Set<Identity> identities,
            StormHistory last) {
        List<AttemptId> deaths = List.copyOf(LetterReader.deaths(histories));
        for (int from = 0; from < deaths.size(); from += MOST_AT_ONCE) {
            List<AttemptId> part = deaths.subList(from, Math.min(deaths.size(), from + MOST_AT_ONCE));
            List<Identity> asks = part.stream()
                    .flatMap(death -> LetterReader.identities(death).stream())
                    .toList();
            long asked = System.nanoTime();
            Map<Identity, KeyRecord> found = store.records(asks);
            Span span = new Span(asked, System.nanoTime(), clock.millis(), clock.millis());
            identities.addAll(found.keySet());
            part.forEach(death -> last.add(new StormOperation(
                    ACTORS,
                    span,
                    null,
                    new StormOperation.LetterLook(
                            death,
                            LetterReader.identities(death).stream()
                                    .map(found::get)
                                    .filter(Objects::nonNull)
                                    .findFirst()
                                    .orElse(null)),
                    Certainty.ANSWERED)));
        }
    }
}
