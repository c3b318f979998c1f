package dev.semel.storetests.simulation;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.Evidence.Handed;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.task.Json;
import dev.semel.task.JsonPointer;
import dev.semel.task.Lease;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.virtualtime.Call;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What queues promise: pauses, limits, mutexes, letters of the dead, and data that goes with the end. What is declared of a
 * queue is taken from the history; nobody declares twice.
 */
final class QueueRules {

    private static final long LAST = Long.MAX_VALUE;

    private final Evidence evidence;
    private final Findings findings;
    private final Map<String, QueueSettings> declared = new HashMap<>();

    QueueRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        for (Change change : evidence.queueChanges()) {
            if (change.item() instanceof Operation.DeclareQueue declare) {
                declared.put(declare.queue(), declare.settings());
            }
        }
    }

    void check() {
        checkMutexes();
        checkClaims();
        checkRates();
        checkLetters();
        evidence.tasks().forEach(this::checkData);
    }

    private QueueSettings settings(String queue) {
        return declared.getOrDefault(queue, QueueSettings.NONE);
    }

    // ---- mutexes

    private record Mutex(String tenant, String type, String name) {}

    private void checkMutexes() {
        Map<Mutex, List<TaskStory>> bound = new HashMap<>();
        for (TaskStory task : evidence.tasks()) {
            NewTask item = task.item();
            String name = item == null ? null : item.options().mutex();
            if (item != null && name != null && task.birthTimes().size() == 1) {
                bound.computeIfAbsent(new Mutex(item.tenant(), item.type(), name), any -> new ArrayList<>())
                        .add(task);
            }
        }
        bound.forEach((mutex, tasks) -> tasks.forEach(task -> checkMutex(mutex, task, tasks)));
    }

    /** While a task certainly runs, no other one of its mutex is handed out. */
    private void checkMutex(Mutex mutex, TaskStory task, List<TaskStory> all) {
        for (Handed handed : task.handed()) {
            long from = handed.done().order();
            long until = mayHaveEnded(task, handed.claimed().lease().attempt(), from);
            for (TaskStory other : all) {
                for (Handed meanwhile : other.handed()) {
                    long order = meanwhile.done().order();
                    if (!other.id().equals(task.id()) && from < order && order < until) {
                        findings.broken(
                                Invariant.MUTEX,
                                task,
                                "ran from #" + from + " at least until #" + until + ", and yet " + other.id()
                                        + " of the same " + mutex + " was handed out at #" + order);
                        return;
                    }
                }
            }
        }
    }

    /** The first point at which a task that was handed out can have stopped running, under that attempt or a later one. */
    private static long mayHaveEnded(TaskStory task, int attempt, long from) {
        long end = LAST;
        for (Change change : task.changes()) {
            if (change.mayHaveApplied()
                    && change.item() instanceof Settlement.Ending ending
                    && ending.lease().attempt() >= attempt) {
                end = Math.min(end, change.earliest().order());
            }
        }
        Moment cancelled = task.cancelFrom();
        return cancelled == null ? end : Math.min(end, Math.max(from, cancelled.order()));
    }

    // ---- pauses and concurrency

    private void checkClaims() {
        for (Entry<?> entry : evidence.entries()) {
            if (entry.call instanceof Call.Claim claim
                    && !claim.request().repeated()
                    && entry.answer() != null
                    && entry.answer().value() instanceof Claims claims) {
                Map<String, List<Claimed>> taken = new HashMap<>();
                for (Claimed claimed : claims.tasks()) {
                    taken.computeIfAbsent(claimed.task().queue(), any -> new ArrayList<>())
                            .add(claimed);
                }
                Moment done = entry.answer().done();
                taken.forEach((queue, tasks) -> {
                    checkPause(queue, tasks, done);
                    checkConcurrency(queue, tasks, done);
                });
            }
        }
    }

    private void checkPause(String queue, List<Claimed> taken, Moment done) {
        long paused = -1;
        for (Change change : evidence.queueChanges()) {
            if (change.applied() && change.done() != null && change.done().order() < done.order()) {
                paused = isPause(change, queue) ? Math.max(paused, change.done().order()) : paused;
            }
        }
        long since = paused;
        boolean mayBeResumed = since < 0
                || evidence.queueChanges().stream()
                        .anyMatch(change -> isResumption(change, queue)
                                && change.mayHaveApplied()
                                && (change.done() == null
                                        ? change.asked().order() < done.order()
                                        : change.done().order() > since
                                                && change.done().order() < done.order()));
        if (!mayBeResumed) {
            findings.broken(
                    Invariant.LIMITS,
                    evidence.task(taken.getFirst().task().id()),
                    "was handed out at #" + done.order() + ", although " + queue + " is paused since #" + since);
        }
    }

    private static boolean isPause(Change change, String queue) {
        return change.item() instanceof Operation.SetQueue set
                && set.queue().equals(queue)
                && Boolean.TRUE.equals(set.changes().paused());
    }

    private static boolean isResumption(Change change, String queue) {
        return switch (change.item()) {
            case Operation.SetQueue set ->
                set.queue().equals(queue) && Boolean.FALSE.equals(set.changes().paused());
            case Operation.ResetQueue reset -> reset.queue().equals(queue);
            default -> false;
        };
    }

    /** What a claim takes has its places beside all that certainly runs under a lease that holds. */
    private void checkConcurrency(String queue, List<Claimed> taken, Moment done) {
        int most = settings(queue).mostRunning();
        if (most == Integer.MAX_VALUE) {
            return;
        }
        Set<TaskId> own = new HashSet<>();
        taken.forEach(claimed -> own.add(claimed.task().id()));
        List<TaskId> others = new ArrayList<>();
        for (TaskStory task : evidence.tasks()) {
            NewTask item = task.item();
            if (item != null
                    && item.queue().equals(queue)
                    && !own.contains(task.id())
                    && task.birthTimes().size() == 1
                    && task.handed().stream().anyMatch(handed -> holds(task, handed, done))) {
                others.add(task.id());
            }
        }
        if (taken.size() + others.size() > most) {
            findings.broken(
                    Invariant.LIMITS,
                    evidence.task(taken.getFirst().task().id()),
                    "was one of " + taken.size() + " handed out at #" + done.order() + ", while of " + queue + " "
                            + others + " were running and " + most + " may");
        }
    }

    /** Whether an attempt certainly runs at a moment, under a lease that has not expired. */
    private static boolean holds(TaskStory task, Handed handed, Moment now) {
        long from = handed.done().order();
        int attempt = handed.claimed().lease().attempt();
        if (from >= now.order() || mayHaveEnded(task, attempt, from) <= now.order()) {
            return false;
        }
        ClaimRequest request = handed.request();
        Instant begun = handed.claimed().task().progress().dueAt();
        Instant end = begun == null ? handed.done().at().plus(request.lease()) : begun;
        for (Change change : task.changes()) {
            if (change.mayHaveApplied()
                    && change.item() instanceof Settlement.Extend extend
                    && extend.lease().attempt() == attempt
                    && change.asked().order() < now.order()) {
                Instant moved = change.earliest().at().plus(extend.duration());
                // Done before, or perhaps: then the lease may end at either time.
                boolean certain = change.done() != null && change.done().order() < now.order();
                end = certain && isNewest(task, change, now) ? moved : earlier(end, moved);
            }
        }
        // A store cuts its now to milliseconds, and the end of the lease again.
        return end.minusMillis(2).isAfter(now.at());
    }

    /** Whether no other extension can have come after this one. */
    private static boolean isNewest(TaskStory task, Change extension, Moment now) {
        long order = extension.earliest().order();
        return task.changes().stream()
                .noneMatch(change -> change.mayHaveApplied()
                        && change.item() instanceof Settlement.Extend
                        && change.asked().order() < now.order()
                        && (change.done() == null || change.done().order() > order));
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    // ---- rates

    private void checkRates() {
        declared.forEach((queue, settings) -> {
            RateLimit limit = settings.startLimit();
            if (limit != null) {
                checkRate(queue, limit);
            }
        });
    }

    private void checkRate(String queue, RateLimit limit) {
        record Start(Lease lease, long order, long millis) {}
        List<Start> starts = new ArrayList<>();
        for (TaskStory task : evidence.tasks()) {
            for (Handed handed : task.handed()) {
                if (handed.claimed().task().queue().equals(queue)
                        && !handed.request().repeated()) {
                    starts.add(new Start(
                            handed.claimed().lease(),
                            handed.done().order(),
                            handed.done().at().toEpochMilli()));
                }
            }
        }
        starts.sort((one, other) -> Long.compare(one.order, other.order));
        double perMilli = 1e6 / limit.interval().toNanos();
        for (int from = 0; from < starts.size(); from++) {
            for (int to = from + 1; to < starts.size(); to++) {
                long span = starts.get(to).millis - starts.get(from).millis;
                int count = to - from + 1;
                if (count > perMilli * span + limit.burst() + 1e-6) {
                    findings.broken(
                            Invariant.LIMITS,
                            evidence.task(starts.get(to).lease.taskId()),
                            "was handed out at #" + starts.get(to).order + " as start " + count + " within " + span
                                    + " ms in " + queue + ", which has " + limit.text());
                    return;
                }
            }
        }
    }

    // ---- letters

    private record Death(String taskId, int attempt) {}

    private void checkLetters() {
        Map<Death, List<TaskStory>> letters = new HashMap<>();
        for (TaskStory story : evidence.tasks()) {
            Task last = story.last();
            if (last != null && last.type().equals(DeadLetter.TYPE)) {
                letters.computeIfAbsent(deathOf(last), any -> new ArrayList<>()).add(story);
            }
        }
        for (TaskStory task : evidence.tasks()) {
            NewTask item = task.item();
            if (item == null || task.birthTimes().size() > 1) {
                continue;
            }
            boolean tells = settings(item.queue()).deadLettersTo() != null;
            for (Change change : task.changes()) {
                if (tells
                        && change.item() instanceof Settlement.Fail fail
                        && change.answeredApplied()
                        && task.cancelFrom() == null
                        && !letters.containsKey(
                                new Death(task.id().toString(), fail.lease().attempt()))) {
                    findings.broken(
                            Invariant.LETTERS,
                            task,
                            "died with attempt " + fail.lease().attempt() + " untold");
                }
            }
            if (tells && wasGivenUp(task) && !letters.containsKey(lastDeath(task))) {
                findings.broken(Invariant.LETTERS, task, "was given up untold");
            }
        }
        letters.forEach(this::checkLetter);
    }

    /** Whether its last attempt parked it, and it is failed nevertheless: nothing else can do that. */
    private static boolean wasGivenUp(TaskStory task) {
        Task last = task.last();
        return last != null
                && last.state() == TaskState.FAILED
                && !task.attempts().isEmpty()
                && task.attempts().getLast().outcome() == Attempt.Outcome.PARKED;
    }

    private static Death lastDeath(TaskStory task) {
        return new Death(task.id().toString(), task.attempts().getLast().number());
    }

    private void checkLetter(Death death, List<TaskStory> letters) {
        TaskStory task = evidence.task(TaskId.parse(death.taskId));
        boolean mayHaveDied = task.changes().stream()
                .anyMatch(change -> change.mayHaveApplied() && diesBy(change.item(), death.attempt));
        if (letters.size() > 1 || !mayHaveDied) {
            findings.broken(
                    Invariant.LETTERS,
                    task,
                    "its death with attempt " + death.attempt + " was forwarded " + letters.size() + " times"
                            + (mayHaveDied ? "" : ", and it cannot have died"));
        }
    }

    private static boolean diesBy(Object item, int attempt) {
        return switch (item) {
            case Settlement.Fail fail -> fail.lease().attempt() == attempt;
            case Operation.Resolve resolve ->
                TaskStory.givesUp(resolve) && resolve.left().attempt() == attempt;
            default -> false;
        };
    }

    private static Death deathOf(Task letter) {
        Json content = Json.parse(String.valueOf(letter.input()));
        return new Death(field(content, "task_id").replace("\"", ""), Integer.parseInt(field(content, "attempts")));
    }

    private static String field(Json content, String name) {
        return content.at(JsonPointer.of(name)).map(Json::text).orElse("0");
    }

    // ---- data

    private void checkData(TaskStory task) {
        Task last = task.last();
        checkData(task, last);
        task.reads().forEach(read -> checkData(task, read.task()));
    }

    private void checkData(TaskStory story, @Nullable Task task) {
        if (task == null) {
            return;
        }
        boolean ended = task.state() == TaskState.COMPLETED || task.state() == TaskState.CANCELLED;
        boolean gone = ended && settings(task.queue()).keepsNothing();
        if (gone != task.dataGone()) {
            findings.broken(
                    Invariant.DATA,
                    story,
                    "is " + task.state() + " in " + task.queue() + " and its input is "
                            + (task.dataGone() ? "gone" : "still there"));
        }
    }
}
