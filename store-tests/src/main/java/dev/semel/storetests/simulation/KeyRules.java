package dev.semel.storetests.simulation;

import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.Evidence.Send;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.storetests.simulation.KeyStory.Taking;
import dev.semel.storetests.simulation.TaskStory.Birth;
import dev.semel.task.Decision;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** I1: one task for each identity in its window, and the same answer for all callers. */
final class KeyRules {

    private final Evidence evidence;
    private final Findings findings;

    KeyRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
    }

    void check(KeyStory key) {
        if (key.taskIds().stream().anyMatch(id -> evidence.task(id).birthTimes().size() > 1)) {
            return; // one was made again after it was swept; TaskRules looks whether that was right
        }
        for (Taking taking : key.takings()) {
            if (taking.birth() != null) {
                checkBirth(key, taking, taking.birth());
            }
        }
        key.sends().forEach(send -> checkAnswer(key, send));
        checkRecord(key);
    }

    // ---- a task was made

    private void checkBirth(KeyStory key, Taking made, Birth birth) {
        List<Taking> before = key.holdersBefore(made);
        checkLineage(key, made, birth, before);
        boolean first = key.takings().stream()
                .noneMatch(other ->
                        !other.taskId().equals(made.taskId()) && other.certain() && other.isCertainlyBefore(made));
        if (first && birth.run() == 1) {
            return;
        }
        for (Taking holder : before) {
            if (isJustified(key, made, birth, holder)) {
                return;
            }
        }
        StringBuilder what = new StringBuilder(made.taskId() + " was made as run " + birth.run() + " at "
                + birth.createdAt() + " (#" + made.from() + " to #" + made.until() + "), although ");
        what.append(before.isEmpty() ? "there was nothing to run again" : "the identity had, for all that is known,");
        for (Taking holder : before) {
            TaskStory task = evidence.task(holder.taskId());
            what.append(' ').append(holder.taskId());
            what.append(task.isOpenThroughout(made.from(), made.until()) ? " (certainly open)" : " (may have ended)");
        }
        findings.broken(Invariant.I1, key, what.toString());
    }

    /** A lineage begins with run 1, continues after an end without success, and begins again after success. */
    private void checkLineage(KeyStory key, Taking made, Birth birth, List<Taking> before) {
        Task task = evidence.task(made.taskId()).seen();
        NewTask.KeyRequest request = key.requestOf(made.taskId());
        if (task == null || request == null) {
            return;
        }
        TaskId expected = null;
        if (birth.run() == 1) {
            expected = made.taskId();
        } else if (before.size() == 1 && !TaskStory.replaces(request.policy())) {
            TaskStory old = evidence.task(before.getFirst().taskId());
            Task oldTask = old.seen();
            Set<TaskState> ends = old.possibleEnds(made.from(), made.until());
            if (ends.equals(Set.of(TaskState.COMPLETED))) {
                expected = made.taskId();
            } else if (oldTask != null && !ends.isEmpty() && !ends.contains(TaskState.COMPLETED)) {
                expected = oldTask.lineage();
            }
        }
        if (expected != null && !expected.equals(task.lineage())) {
            findings.broken(
                    Invariant.TOKENS,
                    key,
                    made.taskId() + ", run " + birth.run() + ", is of lineage " + task.lineage()
                            + ", but should be of lineage " + expected);
        }
    }

    /** Whether a task may be made while another one has the identity, for all that is known of that one. */
    private boolean isJustified(KeyStory key, Taking made, Birth birth, Taking taking) {
        TaskId holder = taking.taskId();
        TaskStory old = evidence.task(holder);
        Birth oldBirth = old.birth();
        NewTask.KeyRequest oldRequest = key.requestOf(holder);
        NewTask.KeyRequest request = key.requestOf(made.taskId());
        if (oldRequest == null || request == null) {
            return false;
        }
        if (oldBirth == null || taking.isUnseen()) {
            // Perhaps it was never made. If it was, it may have had any run, and have ended in any way.
            Instant asked = old.sends().getFirst().asked().at();
            return birth.run() > 1
                    || key.mayBeReleased(holder, made.until())
                    || !asked.plus(oldRequest.ttl()).isAfter(birth.createdAt());
        }
        if (birth.run() == 1) {
            // The window ends at a millisecond, as every stored time.
            boolean passed =
                    !oldBirth.createdAt().plus(oldRequest.ttl()).minusMillis(1).isAfter(birth.createdAt());
            return (passed || key.mayBeReleased(holder, made.until()))
                    && !old.isOpenThroughout(made.from(), made.until());
        }
        return birth.run() == oldBirth.run() + 1 && mayFollow(request, made, old);
    }

    private static boolean mayFollow(NewTask.KeyRequest request, Taking made, TaskStory old) {
        ReusePolicy policy = request.policy();
        Set<TaskState> ends = old.possibleEnds(made.from(), made.until());
        boolean completed = ends.equals(Set.of(TaskState.COMPLETED))
                && old.completion() != null
                && Objects.requireNonNull(old.completion()).earliest().order() <= made.from();
        if (TaskStory.replaces(policy) && !completed) {
            return true;
        }
        for (TaskState end : ends) {
            boolean takesInput =
                    end == TaskState.COMPLETED || policy.otherInput() == OtherInput.IGNORE || sameInput(request, old);
            if (takesInput && ruleFor(policy, end) == AfterEnd.RERUN) {
                return !old.isOpenThroughout(made.from(), made.until());
            }
        }
        return false;
    }

    private static boolean sameInput(NewTask.KeyRequest request, TaskStory old) {
        NewTask item = old.item();
        return item != null && item.key() != null && item.key().inputHash().equals(request.inputHash());
    }

    private static AfterEnd ruleFor(ReusePolicy policy, TaskState end) {
        return switch (end) {
            case COMPLETED -> policy.completed();
            case FAILED -> policy.failed();
            case TIMED_OUT -> policy.timedOut();
            case CANCELLED -> policy.cancelled();
            case PENDING, RUNNING, WAITING -> throw new IllegalArgumentException(end + " is no end");
        };
    }

    // ---- a submission was answered

    private void checkAnswer(KeyStory key, Send send) {
        Moment done = send.done();
        Submitted answer = send.answer();
        if (done == null || answer == null) {
            return;
        }
        TaskId sent = send.item().id();
        ExistingTask existing = send.existing();
        if (existing == null) {
            if (answer instanceof Submitted.Created created && !created.taskId().equals(sent)) {
                findings.broken(Invariant.I1, key, sent + " was answered as created with id " + created.taskId());
            }
            return;
        }
        boolean accepted = evidence.task(sent).sends().stream()
                .anyMatch(earlier -> earlier.answer() instanceof Submitted.Created
                        && earlier.done() != null
                        && earlier.done().order() < done.order());
        if (existing.taskId().equals(sent) || (accepted && !evidence.task(sent).mayBeSwept(done.order()))) {
            findings.broken(
                    Invariant.I1, key, "the repeated send of " + sent + " at #" + done.order() + " was not recognised");
            return;
        }
        if (!key.mayHold(existing.taskId(), done.order())) {
            findings.broken(
                    Invariant.I1,
                    key,
                    "the submission of " + sent + " was answered at #" + done.order() + " with " + existing.taskId()
                            + ", which cannot have had the identity then");
            return;
        }
        checkDecision(key, send, existing, done, answer);
    }

    /** The answer is that of the decision table for the task that it names. */
    private void checkDecision(KeyStory key, Send send, ExistingTask existing, Moment done, Submitted answer) {
        NewTask.KeyRequest request = send.item().key();
        NewTask.KeyRequest holder = key.requestOf(existing.taskId());
        NewTask holderItem = evidence.task(existing.taskId()).item();
        if (request == null || holder == null || holderItem == null) {
            return;
        }
        boolean passed = !key.mayBeRenewed(existing.taskId())
                && !existing.createdAt().plus(holder.ttl()).isAfter(done.at());
        Decision expected = Decision.decide(
                new Decision.Existing(holderItem.type(), holder.inputHash(), existing.state(), existing.run(), passed),
                new Decision.Request(send.item().type(), request.inputHash()),
                request.policy());
        Decision given = switch (answer) {
            case Submitted.Returned returned -> new Decision.Return(returned.inputDiffers());
            case Submitted.Rejected rejected -> new Decision.Reject(rejected.inputDiffers());
            case Submitted.Conflicted conflicted -> new Decision.Conflict();
            case Submitted.Created created -> new Decision.Create();
            case Submitted.Busy busy -> throw new IllegalStateException("No other transactions exist here");
            case Submitted.Cancellation cancellation ->
                throw new IllegalStateException("An answer to a cancellation: " + cancellation);
            case Submitted.Signalled signalled ->
                throw new IllegalStateException("An answer to a signal: " + signalled);
        };
        if (!given.equals(expected)) {
            findings.broken(
                    Invariant.I1,
                    key,
                    "the submission of " + send.item().id() + " was answered at #" + done.order() + " with " + given
                            + ", but " + existing.taskId() + " being " + existing.state()
                            + (passed ? ", its window passed," : "") + " it should be " + expected);
        }
    }

    // ---- in the end

    private void checkRecord(KeyStory key) {
        KeyRecord record = evidence.finalRecord(key.identity()).orElse(null);
        if (record != null) {
            if (!key.mayHold(record.taskId(), Long.MAX_VALUE)) {
                findings.broken(Invariant.I1, key, "its record names " + record.taskId() + ", which cannot have it");
            }
            return;
        }
        for (Taking last : key.takings()) {
            Birth birth = evidence.task(last.taskId()).birth();
            NewTask.KeyRequest request = key.requestOf(last.taskId());
            if (birth == null || request == null || !key.mayHold(last.taskId(), Long.MAX_VALUE)) {
                continue;
            }
            boolean passed = !birth.createdAt()
                    .plus(request.ttl())
                    .isAfter(evidence.end().at());
            if (passed || key.mayBeReleased(last.taskId(), Long.MAX_VALUE)) {
                return;
            }
        }
        if (key.takings().stream().anyMatch(Taking::certain)) {
            findings.broken(Invariant.I1, key, "its record was removed before its window has passed");
        }
    }
}
