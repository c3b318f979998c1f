package dev.semel.testkit;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.EffectRecord;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.History;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A store with one workflow, which it hands out once with an exported history, and which accepts no change of it. */
final class ReplayStore extends ForwardingTaskStore {

    private final ExportedWorkflow exported;
    private final Lease lease;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final CompletableFuture<Settlement> stopped = new CompletableFuture<>();

    ReplayStore(ExportedWorkflow exported) {
        super(new InMemoryTaskStore(exported.history()::now));
        this.exported = exported;
        this.lease = new Lease(exported.task().id(), exported.task().progress().attempt(), 1);
    }

    /** The first thing that the code asked for beyond the history, or the end of its turn. */
    CompletableFuture<Settlement> stopped() {
        return stopped;
    }

    @Override
    public Claims claim(ClaimRequest request) {
        List<Claims.Claimed> tasks = claimed.compareAndSet(false, true)
                ? List.of(new Claims.Claimed(exported.task(), lease, Duration.ZERO))
                : List.of();
        return new Claims(tasks, null);
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        return batch.stream().map(this::answer).toList();
    }

    private Settled answer(Settlement settlement) {
        if (settlement instanceof Settlement.Extend) {
            return Settled.APPLIED;
        }
        stopped.complete(settlement);
        // Anything but an end is refused, so that no local step runs.
        return settlement instanceof Settlement.Ending ? Settled.APPLIED : Settled.STALE;
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        Map<TaskId, History> answers = new HashMap<>();
        for (History.Query query : queries) {
            History whole = exported.history();
            answers.put(
                    query.workflow(),
                    new History(
                            whole.lines().subList(query.lines(), whole.lines().size()),
                            whole.inbox().stream()
                                    .filter(entry -> entry.number() > query.inbox())
                                    .toList(),
                            whole.now()));
        }
        return answers;
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return Map.of(exported.task().lineage(), exported.effects());
    }
}
