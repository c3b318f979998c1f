package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.simulation.History.Answer;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.storetests.simulation.Provider.Look;
import dev.semel.storetests.simulation.Provider.Visit;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.virtualtime.Call;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the histories, the sink and the final store say, sorted by task and by identity. An answer that is null did not
 * arrive: the call was done at some time after it was asked, or never.
 */
final class Evidence {

    record Send(
            String party,
            NewTask item,
            Moment asked,
            @Nullable Moment done,
            @Nullable Submitted answer) {

        /** Whether this send made the task, for all we know. */
        boolean mayHaveCreated() {
            return answer == null || answer instanceof Submitted.Created;
        }

        @Nullable
        ExistingTask existing() {
            return switch (answer) {
                case null -> null;
                case Submitted.Created created -> null;
                case Submitted.Busy busy -> null;
                case Submitted.Returned returned -> returned.existing();
                case Submitted.Rejected rejected -> rejected.existing();
                case Submitted.Conflicted conflicted -> conflicted.existing();
                case Submitted.Cancellation cancellation -> null;
                case Submitted.Signalled signalled -> null;
            };
        }
    }

    record Handed(String party, ClaimRequest request, Claimed claimed, Moment done) {}

    record Read(Task task, Moment done) {}

    record Sweeping(
            SweepRequest request,
            Moment asked,
            @Nullable Moment done,
            @Nullable Swept swept) {}

    private final Map<TaskId, TaskStory> tasks = new LinkedHashMap<>();
    private final Map<Identity, KeyStory> keys = new LinkedHashMap<>();
    private final List<Sweeping> sweeps = new ArrayList<>();
    private final List<Change> queueChanges = new ArrayList<>();
    private final List<Change.Operate> scheduleChanges = new ArrayList<>();
    private final List<Answer<DueSchedules>> scheduleReads = new ArrayList<>();
    private final Map<EffectId, EffectStory> effects = new LinkedHashMap<>();
    private final Map<TaskId, Set<TaskId>> lineages = new HashMap<>();
    private final World world;
    private final TaskStore store;
    private final Moment end;

    Evidence(World world) {
        this.world = world;
        this.store = world.store;
        this.end = new Moment(Long.MAX_VALUE, world.storeClock.instant());
        world.history.entries().forEach(this::sort);
        readStore();
        readLedger();
        for (TaskStory story : tasks()) {
            Task seen = story.seen();
            if (seen != null) {
                lineages.computeIfAbsent(seen.lineage(), any -> new LinkedHashSet<>())
                        .add(story.id());
            }
        }
        for (Visit visit : world.provider.visits()) {
            Task seen = story(visit.taskId).seen();
            // One that was made again after it was swept may be of another lineage then.
            if (seen != null && story(visit.taskId).birthTimes().size() == 1) {
                effect(new EffectId(seen.lineage(), visit.policy.word(), visit.index))
                        .visits()
                        .add(visit);
            }
        }
    }

    private void readLedger() {
        EffectId after = null;
        do {
            EffectPage page = store.effects(new EffectQuery(null, Set.of(), after, EffectQuery.MAX_LIMIT));
            page.effects().forEach(effect -> effect(effect.id()).keep(effect));
            after = page.next();
        } while (after != null);
    }

    private void readStore() {
        TaskQuery query = TaskQuery.all(TaskQuery.MAX_LIMIT);
        List<Task> page;
        do {
            page = store.list(query).tasks();
            for (Task task : page) {
                story(task.id()).keep(task, store.attempts(task.id()));
                query = query.after(task.id());
            }
        } while (page.size() == TaskQuery.MAX_LIMIT);
    }

    private void sort(Entry<?> entry) {
        switch (entry.call) {
            case Call.Submit submit -> sortSends(entry, submit, answer(entry, List.class));
            case Call.Settle settle -> sortSettlements(entry, settle, answer(entry, List.class));
            case Call.Operate operate -> sortOperations(entry, operate, answer(entry, List.class));
            case Call.Claim claim -> {
                Answer<Claims> answer = answer(entry, Claims.class);
                if (answer != null) {
                    for (Claimed claimed : answer.value().tasks()) {
                        story(claimed.task().id())
                                .handed()
                                .add(new Handed(entry.party, claim.request(), claimed, answer.done()));
                    }
                }
            }
            case Call.Find find -> {
                Answer<?> answer = answer(entry, Map.class);
                if (answer != null) {
                    reads(((Map<?, ?>) answer.value()).values(), answer.done());
                }
            }
            case Call.ReadHistories read -> {}
            case Call.ReadEffects read -> {
                Answer<?> answer = answer(entry, Map.class);
                if (answer != null) {
                    ((Map<?, ?>) answer.value()).values().forEach(found -> sightings((List<?>) found, answer.done()));
                }
            }
            case Call.ListEffects list -> {
                Answer<EffectPage> answer = answer(entry, EffectPage.class);
                if (answer != null) {
                    sightings(answer.value().effects(), answer.done());
                }
            }
            case Call.ListTasks list -> {
                Answer<?> answer = answer(entry, List.class);
                if (answer != null) {
                    reads((List<?>) answer.value(), answer.done());
                }
            }
            case Call.LookUp lookUp -> {}
            case Call.ReadDue due -> {
                Answer<DueSchedules> answer = answer(entry, DueSchedules.class);
                if (answer != null) {
                    scheduleReads.add(answer);
                }
            }
            case Call.Sweep sweep -> {
                Answer<Swept> answer = answer(entry, Swept.class);
                sweeps.add(new Sweeping(
                        sweep.request(),
                        entry.asked,
                        answer == null ? null : answer.done(),
                        answer == null ? null : answer.value()));
            }
        }
    }

    private static <T> @Nullable Answer<T> answer(Entry<?> entry, Class<T> type) {
        Answer<?> answer = entry.answer();
        return answer == null ? null : new Answer<>(answer.done(), type.cast(answer.value()));
    }

    private void sortSends(Entry<?> entry, Call.Submit submit, @Nullable Answer<?> answer) {
        Moment done = answer == null ? null : answer.done();
        for (int i = 0; i < submit.batch().size(); i++) {
            Submitted given = answer == null ? null : (Submitted) ((List<?>) answer.value()).get(i);
            switch (submit.batch().get(i)) {
                case NewTask item -> sort(new Send(entry.party, item, entry.asked, done, given));
                case SubmitRequest.Cancel(TaskId id) ->
                    sort(new Change.Operate(entry.party, new Operation.Cancel(id), entry.asked, done, operated(given)));
                case SubmitRequest.Signal signal -> {}
                case SubmitRequest.SignalWithStart start -> {}
            }
        }
    }

    private void sort(Send send) {
        NewTask item = send.item();
        story(item.id()).sends().add(send);
        ExistingTask existing = send.existing();
        if (existing != null) {
            story(existing.taskId()).mentions().add(send);
        }
        if (item.key() != null) {
            key(item.key().identity()).sends().add(send);
        }
    }

    /** The answer that an operator would have got for the same cancellation. */
    private static @Nullable Operated operated(@Nullable Submitted answer) {
        return switch ((Submitted.Cancellation) answer) {
            case null -> null;
            case CANCELLED -> Operated.APPLIED;
            case REQUESTED -> Operated.CANCEL_REQUESTED;
            case TOO_LATE -> Operated.STALE;
            case NOT_FOUND -> Operated.NOT_FOUND;
        };
    }

    private void sortSettlements(Entry<?> entry, Call.Settle settle, @Nullable Answer<?> answer) {
        Moment done = answer == null ? null : answer.done();
        for (int i = 0; i < settle.batch().size(); i++) {
            Settlement settlement = settle.batch().get(i);
            Settled given = answer == null ? null : (Settled) ((List<?>) answer.value()).get(i);
            Change.Settle sorted = new Change.Settle(entry.party, settlement, entry.asked, done, given);
            switch (settlement) {
                case Settlement.Intend intend ->
                    effect(intend.effect()).intents().add(sorted);
                case Settlement.Conclude conclude ->
                    effect(conclude.effect()).others().add(sorted);
                case Settlement.Refer refer -> effect(refer.effect()).others().add(sorted);
                case Settlement.Park park -> effect(park.effect()).others().add(sorted);
                default -> {}
            }
            story(settlement.lease().taskId()).changes().add(sorted);
        }
    }

    private void sortOperations(Entry<?> entry, Call.Operate operate, @Nullable Answer<?> answer) {
        Moment done = answer == null ? null : answer.done();
        for (int i = 0; i < operate.batch().size(); i++) {
            Operated given = answer == null ? null : (Operated) ((List<?>) answer.value()).get(i);
            sort(new Change.Operate(entry.party, operate.batch().get(i), entry.asked, done, given));
        }
    }

    private void sort(Change.Operate sorted) {
        switch (sorted.item()) {
            case Operation.Cancel cancel -> story(cancel.taskId()).changes().add(sorted);
            case Operation.Erase erase -> story(erase.taskId()).changes().add(sorted);
            case Operation.Redrive redrive -> story(redrive.taskId()).changes().add(sorted);
            case Operation.Restart restart -> story(restart.taskId()).changes().add(sorted);
            case Operation.ReleaseKey release ->
                key(release.identity()).releases().add(sorted);
            case Operation.Resolve resolve -> {
                effect(resolve.effect()).others().add(sorted);
                story(resolve.left().taskId()).changes().add(sorted);
            }
            case Operation.ChangeSchedule change -> sort(change, sorted);
            case Operation.OfQueue change -> queueChanges.add(sorted);
        }
    }

    /** What a change did to tasks is not answered, so each of these counts as maybe. */
    private void sort(Operation.ChangeSchedule change, Change.Operate sent) {
        scheduleChanges.add(sent);
        if (sent.mayHaveApplied()) {
            change.create().forEach(item -> sort(new Send(sent.party(), item, sent.asked(), null, null)));
            change.cancel()
                    .forEach(id -> story(id)
                            .changes()
                            .add(new Change.Operate(sent.party(), new Operation.Cancel(id), sent.asked(), null, null)));
        }
    }

    private void sightings(List<?> found, Moment done) {
        for (Object item : found) {
            EffectRecord effect = (EffectRecord) item;
            effect(effect.id()).sightings().add(new EffectStory.Sighting(effect, done));
        }
    }

    private void reads(Collection<?> found, Moment done) {
        for (Object item : found) {
            Task task = (Task) item;
            story(task.id()).reads().add(new Read(task, done));
        }
    }

    private TaskStory story(TaskId id) {
        return tasks.computeIfAbsent(id, fresh -> new TaskStory(this, fresh));
    }

    private KeyStory key(Identity identity) {
        return keys.computeIfAbsent(identity, fresh -> new KeyStory(this, fresh));
    }

    TaskStory task(TaskId id) {
        return story(id);
    }

    @Nullable
    KeyStory keyOf(NewTask item) {
        return item.key() == null ? null : key(item.key().identity());
    }

    Collection<TaskStory> tasks() {
        return List.copyOf(tasks.values());
    }

    Collection<KeyStory> keys() {
        return List.copyOf(keys.values());
    }

    List<Sweeping> sweeps() {
        return sweeps;
    }

    /** All changes of queues, in the order in which they were asked. */
    List<Change> queueChanges() {
        return queueChanges;
    }

    /** All changes of schedules, in the order in which they were asked. */
    List<Change.Operate> scheduleChanges() {
        return scheduleChanges;
    }

    /** What schedulers were answered when they asked for due schedules. */
    List<Answer<DueSchedules>> scheduleReads() {
        return scheduleReads;
    }

    /** What handlers wrote to the sink. */
    List<Sink.Effect> sink() {
        return world.sink.effects();
    }

    /** All effects that anybody ever intended, recorded or saw. */
    Collection<EffectStory> effects() {
        return List.copyOf(effects.values());
    }

    EffectStory effect(EffectId id) {
        return effects.computeIfAbsent(id, EffectStory::new);
    }

    /** When somebody looked into the provider's books. */
    List<Look> looks() {
        return world.provider.looks();
    }

    /** All tasks of a lineage. */
    Set<TaskId> tasksOf(TaskId lineage) {
        return lineages.getOrDefault(lineage, Set.of(lineage));
    }

    /** Whether the effects of a lineage must still be there in the end: one of its tasks is, and none took them along. */
    boolean keepsEffects(TaskId lineage) {
        boolean stored = false;
        for (TaskId id : tasksOf(lineage)) {
            Task last = task(id).last();
            if (last != null) {
                stored = true;
                if (last.state() == TaskState.COMPLETED && last.dataGone()) {
                    return false;
                }
            }
        }
        return stored;
    }

    List<Entry<?>> entries() {
        return world.history.entries();
    }

    /** The end of everything. */
    Moment end() {
        return end;
    }

    Optional<KeyRecord> finalRecord(Identity identity) {
        return store.record(identity);
    }
}
