package dev.semel.observe;

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
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.ScheduleId;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A store that reports every call of another one to an observer. It keeps the other's capabilities. */
public final class ObservedTaskStore extends ForwardingTaskStore {

    private final Observer observer;

    private ObservedTaskStore(TaskStore store, Observer observer) {
        super(store);
        this.observer = observer;
    }

    /**
     * Reports the calls of a store.
     *
     * @param store the store that does the work
     * @param observer gets the calls; it must not throw
     * @return the store to call; the given one if the observer is {@link Observer#NONE}
     */
    public static TaskStore of(TaskStore store, Observer observer) {
        return observer.equals(Observer.NONE) ? store : new ObservedTaskStore(store, observer);
    }

    private <T> T measured(StoreCall call, ToIntFunction<T> items, Supplier<T> made) {
        long began = System.nanoTime();
        T answer;
        try {
            answer = made.get();
        } catch (Throwable e) {
            failed(call, e, began);
            throw e;
        }
        observer.storeCalled(call, CallResult.OK, items.applyAsInt(answer), since(began));
        return answer;
    }

    private void failed(StoreCall call, Throwable thrown, long began) {
        CallResult result = thrown instanceof StoreUnavailable ? CallResult.UNAVAILABLE : CallResult.ERROR;
        observer.storeCalled(call, result, 0, since(began));
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private <T> T read(Supplier<T> made) {
        return measured(StoreCall.READ, answer -> 0, made);
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        return measured(StoreCall.SUBMIT, List::size, () -> super.submit(batch));
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return measured(StoreCall.CLAIM, claims -> claims.tasks().size(), () -> super.claim(request));
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        List<Settled> answers = measured(StoreCall.SETTLE, List::size, () -> super.settle(batch));
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) == Settled.STALE || answers.get(i) == Settled.NOT_FOUND) {
                observer.refused(kind(batch.get(i)));
            }
        }
        return answers;
    }

    private static RefusedWrite kind(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Ending ending -> RefusedWrite.END;
            case Settlement.Extend extend -> RefusedWrite.EXTENSION;
            case Settlement.Intend intend -> RefusedWrite.EFFECT;
            case Settlement.Refer refer -> RefusedWrite.EFFECT;
            case Settlement.Conclude conclude -> RefusedWrite.EFFECT;
            case Settlement.Advance advance -> RefusedWrite.ADVANCE;
        };
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        List<Operated> answers = measured(StoreCall.OPERATE, List::size, () -> super.operate(batch));
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) == Operated.APPLIED && batch.get(i) instanceof Operation.ChangeSchedule change) {
                change.create().forEach(task -> observer.submitted(task.queue(), task.type(), SubmitResult.NEW));
            }
        }
        return answers;
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        return read(() -> super.dueSchedules(limit));
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        return read(() -> super.schedules(ids));
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        return read(() -> super.schedules(query));
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return read(() -> super.find(ids));
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        return read(() -> super.attempts(ids));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return read(() -> super.effects(lineages));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return read(() -> super.effects(query));
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        return read(() -> super.histories(queries));
    }

    @Override
    public Page list(TaskQuery query) {
        return read(() -> super.list(query));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        return read(() -> super.records(identities));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return read(super::queues);
    }

    @Override
    public Map<String, QueueSetUp> queues(Collection<String> names) {
        return read(() -> super.queues(names));
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return read(() -> super.depths(tenant));
    }

    @Override
    public Swept sweep(SweepRequest request) {
        Swept swept = measured(StoreCall.SWEEP, answer -> 0, () -> super.sweep(request));
        observer.cleaned(swept.tasks(), swept.records());
        return swept;
    }

    @Override
    public Optional<Joining> joining() {
        return super.joining().map(joining -> connection -> joined(joining, connection));
    }

    private Joining.Joined joined(Joining joining, Connection connection) {
        Joining.Joined joined = joining.join(connection);
        return new Joining.Joined() {
            @Override
            public List<Submitted> submit(List<NewTask> batch) {
                return measured(StoreCall.SUBMIT, List::size, () -> joined.submit(batch));
            }

            @Override
            public void committed() {
                joined.committed();
            }
        };
    }

    @Override
    public Optional<Transacting> transacting() {
        return super.transacting().map(transacting -> (lease, work) -> complete(transacting, lease, work));
    }

    private Settled complete(Transacting transacting, Lease lease, Transacting.Work work) throws Exception {
        long began = System.nanoTime();
        AtomicReference<Throwable> ofWork = new AtomicReference<>();
        Settled answer;
        try {
            answer = transacting.complete(lease, connection -> {
                try {
                    return work.run(connection);
                } catch (Throwable e) {
                    ofWork.set(e);
                    throw e;
                }
            });
        } catch (Throwable e) {
            if (e.equals(ofWork.get())) {
                // The handler failed, not the store.
                observer.storeCalled(StoreCall.TRANSACTION, CallResult.OK, 0, since(began));
            } else {
                failed(StoreCall.TRANSACTION, e, began);
            }
            throw e;
        }
        observer.storeCalled(StoreCall.TRANSACTION, CallResult.OK, 1, since(began));
        if (answer != Settled.APPLIED) {
            observer.refused(RefusedWrite.END);
        }
        return answer;
    }
}
