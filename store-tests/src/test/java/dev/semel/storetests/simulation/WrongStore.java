package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Page;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A store that passes everything on to a right one; a bug is what a subclass does differently. */
abstract class WrongStore extends ForwardingTaskStore {

    final TaskStore right;

    WrongStore(TaskStore right) {
        super(right);
        this.right = right;
    }

    // ---- what bugs are made of

    static Settlement under(Settlement settlement, Lease lease) {
        return switch (settlement) {
            case Settlement.Complete complete -> new Settlement.Complete(lease, complete.result());
            case Settlement.Retry retry -> new Settlement.Retry(lease, retry.delay(), retry.error());
            case Settlement.Fail fail -> new Settlement.Fail(lease, fail.timedOut(), fail.error());
            case Settlement.PutBack putBack -> new Settlement.PutBack(lease, putBack.delay());
            case Settlement.Cancelled cancelled -> new Settlement.Cancelled(lease);
            case Settlement.Park park -> new Settlement.Park(lease, park.effect(), park.reason());
            case Settlement.Intend intend -> new Settlement.Intend(lease, intend.effect(), intend.window());
            case Settlement.Refer refer -> new Settlement.Refer(lease, refer.effect(), refer.reason());
            case Settlement.Conclude conclude -> new Settlement.Conclude(lease, conclude.effect(), conclude.outcome());
            case Settlement.Wait wait ->
                new Settlement.Wait(lease, wait.seen(), wait.more(), wait.wakeAt(), wait.error());
            case Settlement.Continue next ->
                new Settlement.Continue(lease, next.seen(), next.unread(), next.input(), next.since());
            case Settlement.Advance advance -> new Settlement.Advance(lease, advance.first(), advance.lines());
            case Settlement.Extend extend -> new Settlement.Extend(lease, extend.duration());
        };
    }

    static Task with(Task task, Identity identity, TaskId lineage, Progress progress) {
        return new Task(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                task.options(),
                identity,
                task.run(),
                task.series(),
                lineage,
                task.createdAt(),
                progress);
    }

    static NewTask with(NewTask item, TaskId id, NewTask.KeyRequest key) {
        return new NewTask(
                id, item.tenant(), item.queue(), item.type(), item.input(), item.start(), item.options(), key);
    }

    static TaskId another(TaskId id, int number) {
        UUID value = id.value();
        return new TaskId(new UUID(value.getMostSignificantBits(), value.getLeastSignificantBits() ^ number));
    }

    /** A store that shows tasks differently from how they are. */
    abstract static class Repainted extends WrongStore {

        Repainted(TaskStore right) {
            super(right);
        }

        abstract Task painted(Task task);

        @Override
        public Claims claim(ClaimRequest request) {
            Claims claims = right.claim(request);
            return new Claims(
                    claims.tasks().stream()
                            .map(claimed -> new Claimed(painted(claimed.task()), claimed.lease()))
                            .toList(),
                    claims.nextDue());
        }

        @Override
        public Map<TaskId, Task> find(Collection<TaskId> ids) {
            Map<TaskId, Task> found = new HashMap<>(right.find(ids));
            found.replaceAll((id, task) -> painted(task));
            return found;
        }

        @Override
        public Page list(TaskQuery query) {
            Page page = right.list(query);
            return new Page(page.tasks().stream().map(this::painted).toList(), page.next());
        }
    }

    /** A store that does something else with each submission. */
    abstract static class Resubmitting extends WrongStore {

        Resubmitting(TaskStore right) {
            super(right);
        }

        abstract Submitted submit(NewTask item);

        Submitted rightly(NewTask item) {
            return right.submit(List.of(item)).getFirst();
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = new ArrayList<>();
            for (SubmitRequest request : batch) {
                answers.add(
                        request instanceof NewTask item
                                ? submit(item)
                                : right.submit(List.of(request)).getFirst());
            }
            return answers;
        }
    }
}
