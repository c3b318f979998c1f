package dev.semel.storetests.simulation;

import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.History.Answer;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Collects what is broken, each with the slice of history that shows it. */
final class Findings {

    private static final int LONGEST_SLICE = 60;
    private static final int MOST = 20;

    private final Evidence evidence;
    private final Wording wording;
    private final long seed;
    private final List<Violation> violations = new ArrayList<>();

    Findings(Evidence evidence, Wording wording, long seed) {
        this.evidence = evidence;
        this.wording = wording;
        this.seed = seed;
    }

    List<Violation> violations() {
        return violations;
    }

    Wording wording() {
        return wording;
    }

    void broken(Invariant invariant, TaskStory task, String what) {
        broken(invariant, task, Set.of(task.id()), what);
    }

    /** With the history of others too that belong to it. */
    void broken(Invariant invariant, TaskStory task, Set<TaskId> ids, String what) {
        Task last = task.last();
        NewTask item = task.item();
        add(
                invariant,
                "Task " + task.id() + ": " + what,
                "in the end: " + (last == null ? "not there" : wording.of(last)),
                ids,
                item == null || item.key() == null ? null : item.key().identity());
    }

    void broken(Invariant invariant, KeyStory key, String what) {
        String record = evidence.finalRecord(key.identity())
                .map(found -> found.taskId() + " " + found.state() + (found.dataGone() ? ", data gone" : ""))
                .orElse("none");
        add(
                invariant,
                "Identity " + wording.of(key.identity()) + ": " + what,
                "in the end its record is: " + record,
                key.taskIds(),
                key.identity());
    }

    /** With what was done to schedules, queues and nothing else. */
    void broken(Invariant invariant, String what) {
        add(invariant, what, "", Set.of(), null);
    }

    private void add(Invariant invariant, String what, String end, Set<TaskId> ids, @Nullable Identity identity) {
        if (violations.size() == MOST) {
            return;
        }
        List<String> slice = new ArrayList<>();
        for (Entry<?> entry : evidence.entries()) {
            String line = line(entry, ids, identity);
            if (line != null) {
                slice.add(line);
            }
        }
        int left = slice.size() - LONGEST_SLICE;
        String shown = left <= 0
                ? String.join("\n", slice)
                : "  … " + left + " earlier\n" + String.join("\n", slice.subList(left, slice.size()));
        violations.add(new Violation(
                invariant,
                what + "\n" + shown + "\n  " + end + "\nSeed " + seed + ". Replay: " + Simulation.replay(seed)));
    }

    /** What a call has to do with a task or identity, in words: of a batch only the items that concern it. */
    private @Nullable String line(Entry<?> entry, Set<TaskId> ids, @Nullable Identity identity) {
        Answer<?> answer = entry.answer();
        Object value = answer == null ? null : answer.value();
        String said = switch (entry.call) {
            case Call.Submit submit ->
                items(submit.batch(), value, (item, given) -> concerns(item, given, ids, identity));
            case Call.Settle settle -> items(settle.batch(), value, (settlement, given) -> concerns(settlement, ids));
            case Call.Operate operate ->
                items(operate.batch(), value, (operation, given) -> concerns(operation, ids, identity));
            case Call.Claim claim ->
                value instanceof Claims claims
                                && claims.tasks().stream()
                                        .anyMatch(claimed ->
                                                ids.contains(claimed.task().id()))
                        ? whole(entry.call, claims)
                        : null;
            case Call.Find find ->
                value instanceof Map<?, ?> found && found.keySet().stream().anyMatch(ids::contains)
                        ? whole(entry.call, found)
                        : null;
            case Call.ReadHistories read ->
                read.queries().stream().anyMatch(query -> ids.contains(query.workflow()))
                        ? whole(entry.call, value)
                        : null;
            case Call.ReadEffects read ->
                read.lineages().stream().anyMatch(ids::contains) ? whole(entry.call, value) : null;
            case Call.ListEffects list -> null;
            case Call.ListTasks list -> null;
            case Call.LookUp lookUp -> null;
            case Call.ReadDue due -> null;
            case Call.Sweep sweep -> whole(entry.call, value);
        };
        return said == null
                ? null
                : "  #" + entry.asked.order()
                        + (answer == null ? "" : "-" + answer.done().order()) + " " + entry.asked.at() + " "
                        + entry.party + ": " + said;
    }

    private String whole(Call<?> call, @Nullable Object value) {
        return wording.of(call) + " => " + (value == null ? "UNKNOWN" : wording.ofAnswer(value));
    }

    private <T> @Nullable String items(
            List<T> items, @Nullable Object value, BiPredicate<T, @Nullable Object> concern) {
        List<String> said = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            T item = items.get(i);
            Object given = value instanceof List<?> answers ? answers.get(i) : null;
            if (concern.test(item, given)) {
                said.add(wording.ofItem(item) + " => " + (given == null ? "UNKNOWN" : wording.ofItem(given)));
            }
        }
        return said.isEmpty() ? null : String.join("; ", said);
    }

    private static boolean concerns(
            SubmitRequest request, @Nullable Object given, Set<TaskId> ids, @Nullable Identity identity) {
        return switch (request) {
            case NewTask item ->
                ids.contains(item.id())
                        || (item.key() != null && item.key().identity().equals(identity))
                        || (given instanceof Submitted submitted && ids.contains(Outcomes.idOf(submitted)));
            case SubmitRequest.Cancel(TaskId id) -> ids.contains(id);
            case SubmitRequest.Signal signal -> ids.contains(signal.taskId());
            case SubmitRequest.SignalWithStart start ->
                ids.contains(start.task().id());
        };
    }

    private static boolean concerns(Settlement settlement, Set<TaskId> ids) {
        // Extensions are too many, and they say little.
        return !(settlement instanceof Settlement.Extend)
                && ids.contains(settlement.lease().taskId());
    }

    private static boolean concerns(Operation operation, Set<TaskId> ids, @Nullable Identity identity) {
        return switch (operation) {
            case Operation.Resolve resolve -> ids.contains(resolve.left().taskId());
            case Operation.Cancel cancel -> ids.contains(cancel.taskId());
            case Operation.Redrive redrive -> ids.contains(redrive.taskId());
            case Operation.Erase erase -> ids.contains(erase.taskId());
            case Operation.Restart restart -> ids.contains(restart.taskId());
            case Operation.ReleaseKey release -> release.identity().equals(identity);
            case Operation.ChangeSchedule change -> true;
            case Operation.OfQueue change -> true;
        };
    }
}
