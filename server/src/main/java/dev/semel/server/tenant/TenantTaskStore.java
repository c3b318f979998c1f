package dev.semel.server.tenant;

import dev.semel.server.http.Problem;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.History;
import dev.semel.store.Joining;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store in which only one tenant exists. Ids of other tenants are unknown, lists and counts have the tenant's own, and a write for
 * another tenant is rejected as a whole. What all tenants share, the settings of queues and the cleaning, is out of its reach.
 *
 * <p>A tenant never changes, so looking first and writing afterwards is safe.
 */
public final class TenantTaskStore extends ForwardingTaskStore {

    private final TaskStore whole;
    private final String tenant;
    private final OwnTasks own;

    /**
     * Narrows a store.
     *
     * @param whole the store
     * @param tenant the tenant
     */
    public TenantTaskStore(TaskStore whole, String tenant) {
        super(whole);
        this.whole = whole;
        this.tenant = tenant;
        this.own = new OwnTasks(whole, tenant);
    }

    // ---- submitting

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        Set<TaskId> named = new HashSet<>();
        Set<TaskId> created = new HashSet<>();
        for (SubmitRequest request : batch) {
            switch (request) {
                case NewTask task -> created.add(checked(task).id());
                case SubmitRequest.Cancel cancel -> named.add(cancel.taskId());
                case SubmitRequest.Signal signal -> named.add(signal.taskId());
                case SubmitRequest.SignalWithStart start ->
                    created.add(checked(start.task()).id());
            }
        }
        refuseTaken(created);
        Set<TaskId> ours = own.tasks(named);
        // A batch means its items in order: it may cancel what it has just created.
        ours.addAll(created);
        return answered(
                batch,
                request -> switch (request) {
                    case NewTask task -> true;
                    case SubmitRequest.Cancel cancel -> ours.contains(cancel.taskId());
                    case SubmitRequest.Signal signal -> ours.contains(signal.taskId());
                    case SubmitRequest.SignalWithStart start -> true;
                },
                request -> request instanceof SubmitRequest.Signal
                        ? Submitted.Signalled.NOT_FOUND
                        : Submitted.Cancellation.NOT_FOUND,
                whole::submit);
    }

    private NewTask checked(NewTask task) {
        if (!task.tenant().equals(tenant)) {
            throw new Problem(403, "wrong-tenant", "The token belongs to another tenant than the task.");
        }
        return task;
    }

    // A repeated id is answered with the state of its task, which must not be another tenant's.
    private void refuseTaken(Set<TaskId> created) {
        if (whole.find(created).values().stream().anyMatch(task -> !own.isOwn(task))) {
            throw new Problem(409, "task-id-taken", "The id of a new task cannot be used. Generate another one.");
        }
    }

    // ---- working

    @Override
    public Claims claim(ClaimRequest request) {
        Claims claims = whole.claim(request.ofTenant(tenant));
        return new Claims(
                claims.tasks().stream()
                        .filter(claimed -> own.isOwn(claimed.task()))
                        .toList(),
                claims.nextDue());
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        batch.forEach(this::check);
        Map<TaskId, TaskId> lineages = own.lineagesOf(
                batch.stream().map(settlement -> settlement.lease().taskId()).toList());
        return answered(
                batch,
                settlement -> {
                    TaskId lineage = lineages.get(settlement.lease().taskId());
                    // A lease of one's own must not write the effects of another tenant's task.
                    return lineage != null
                            && effect(settlement)
                                    .map(effect -> effect.lineage().equals(lineage))
                                    .orElse(true);
                },
                settlement -> Settled.NOT_FOUND,
                whole::settle);
    }

    private static Optional<EffectId> effect(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Intend intend -> Optional.of(intend.effect());
            case Settlement.Refer refer -> Optional.of(refer.effect());
            case Settlement.Conclude conclude -> Optional.of(conclude.effect());
            case Settlement.Park park -> Optional.of(park.effect());
            case Settlement.Complete complete -> Optional.empty();
            case Settlement.Retry retry -> Optional.empty();
            case Settlement.Fail fail -> Optional.empty();
            case Settlement.PutBack putBack -> Optional.empty();
            case Settlement.Cancelled cancelled -> Optional.empty();
            case Settlement.Wait wait -> Optional.empty();
            case Settlement.Continue next -> Optional.empty();
            case Settlement.Advance advance -> Optional.empty();
            case Settlement.Extend extend -> Optional.empty();
        };
    }

    private void check(Settlement settlement) {
        if (settlement instanceof Settlement.Advance advance) {
            for (NewLine line : advance.lines()) {
                if (line instanceof NewLine.Step(NewTask task)) {
                    checked(task);
                }
            }
        }
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        return whole.attempts(own.tasks(ids));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return whole.effects(own.lineages(lineages));
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        Set<TaskId> ours =
                own.tasks(queries.stream().map(History.Query::workflow).toList());
        return whole.histories(queries.stream()
                .filter(query -> ours.contains(query.workflow()))
                .toList());
    }

    // ---- reading

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return kept(whole.find(ids), own::isOwn);
    }

    @Override
    public Page list(TaskQuery query) {
        Identity identity = query.identity();
        boolean foreign = (query.tenant() != null && !query.tenant().equals(tenant))
                || (identity != null && !identity.tenant().equals(tenant));
        return foreign
                ? new Page(List.of(), null)
                : whole.list(new TaskQuery(
                        tenant,
                        query.queue(),
                        query.type(),
                        query.states(),
                        identity,
                        query.parent(),
                        query.workflows(),
                        query.tag(),
                        query.before(),
                        query.limit()));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        return whole.records(identities.stream()
                .filter(identity -> identity.tenant().equals(tenant))
                .toList());
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return query.tenant() != null && !query.tenant().equals(tenant)
                ? new EffectPage(List.of(), null)
                : whole.effects(query.ofTenant(tenant));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return whole.queues(whole.depths(tenant).keySet());
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String of) {
        return of == null || of.equals(tenant) ? whole.depths(tenant) : Map.of();
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        return whole.schedules(
                ids.stream().filter(id -> id.tenant().equals(tenant)).toList());
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        ScheduleId after = query.after();
        boolean foreign = (query.tenant() != null && !query.tenant().equals(tenant))
                || (after != null && !after.tenant().equals(tenant));
        return foreign ? List.of() : whole.schedules(new ScheduleQuery(tenant, after, query.limit()));
    }

    // ---- operating

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        Set<TaskId> tasks = new HashSet<>();
        Set<TaskId> lineages = new HashSet<>();
        for (Operation operation : batch) {
            switch (operation) {
                case Operation.Cancel cancel -> tasks.add(cancel.taskId());
                case Operation.Redrive redrive -> tasks.add(redrive.taskId());
                case Operation.Erase erase -> tasks.add(erase.taskId());
                case Operation.Restart restart -> tasks.add(restart.taskId());
                case Operation.ReleaseKey release -> {}
                case Operation.Resolve resolve -> lineages.add(resolve.effect().lineage());
                case Operation.ChangeSchedule change -> {
                    change.create().forEach(this::checked);
                    tasks.addAll(change.cancel());
                }
                case Operation.OfQueue shared -> throw operatorOnly("The settings of a queue apply to all tenants");
            }
        }
        Set<TaskId> ours = own.tasks(tasks);
        ours.addAll(own.lineages(lineages));
        return answered(
                batch,
                operation -> switch (operation) {
                    case Operation.Cancel cancel -> ours.contains(cancel.taskId());
                    case Operation.Redrive redrive -> ours.contains(redrive.taskId());
                    case Operation.Erase erase -> ours.contains(erase.taskId());
                    case Operation.Restart restart -> ours.contains(restart.taskId());
                    case Operation.ReleaseKey release ->
                        release.identity().tenant().equals(tenant);
                    case Operation.Resolve resolve ->
                        ours.contains(resolve.effect().lineage());
                    case Operation.ChangeSchedule change ->
                        change.id().tenant().equals(tenant) && ours.containsAll(stored(change.cancel()));
                    case Operation.OfQueue shared -> false;
                },
                operation -> operation instanceof Operation.ChangeSchedule ? Operated.STALE : Operated.NOT_FOUND,
                whole::operate);
    }

    // A schedule may cancel what is no longer stored: that stays as it is.
    private Set<TaskId> stored(List<TaskId> ids) {
        return whole.find(ids).keySet();
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        DueSchedules due = whole.dueSchedules(limit);
        return new DueSchedules(
                due.schedules().stream()
                        .filter(schedule -> schedule.id().tenant().equals(tenant))
                        .toList(),
                due.now(),
                due.nextDue());
    }

    /** Does nothing: the server cleans for all tenants. */
    @Override
    public Swept sweep(SweepRequest request) {
        return Swept.NOTHING;
    }

    /** Notifies of ended tasks of the tenant only. That tasks may be due would tell of other tenants; a claim waits by itself. */
    @Override
    public Registration listen(StoreListener listener) {
        return whole.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {}

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                List<TaskId> copy = List.copyOf(ids);
                // Not on the store's thread: looking may wait for the store.
                Thread.ofVirtual().name("semel-ended").start(() -> {
                    Set<TaskId> ours = own.tasks(copy);
                    if (!ours.isEmpty()) {
                        listener.tasksMayHaveEnded(ours);
                    }
                });
            }
        });
    }

    @Override
    public Optional<Joining> joining() {
        return Optional.empty();
    }

    @Override
    public Optional<Transacting> transacting() {
        return Optional.empty();
    }

    /** Does nothing: the store belongs to the server. */
    @Override
    public void close() {}

    private static Problem operatorOnly(String why) {
        return new Problem(403, "operator-only", why + ", so only a token of all tenants may change them.");
    }

    private static <K, V> Map<K, V> kept(Map<K, V> all, Predicate<V> which) {
        Map<K, V> kept = new HashMap<>(all);
        kept.values().removeIf(which.negate());
        return kept;
    }

    // Sends the items that may be sent as one batch, in their order, and puts the answers of the others in between.
    private static <Q, A> List<A> answered(
            List<? extends Q> batch, Predicate<Q> allowed, Function<Q, A> otherwise, Function<List<Q>, List<A>> send) {
        List<Q> sent = new ArrayList<>();
        batch.forEach(item -> {
            if (allowed.test(item)) {
                sent.add(item);
            }
        });
        List<A> answers = sent.isEmpty() ? List.of() : send.apply(sent);
        List<A> all = new ArrayList<>(batch.size());
        int next = 0;
        for (Q item : batch) {
            all.add(allowed.test(item) ? answers.get(next++) : otherwise.apply(item));
        }
        return all;
    }
}
