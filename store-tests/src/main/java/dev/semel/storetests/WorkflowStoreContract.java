package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.History;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted.Signalled;
import dev.semel.store.SweepRequest;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the contracts of workflows have in common. */
public abstract class WorkflowStoreContract extends StoreContract {

    /** The task types of workflows begin with this. */
    static final String TYPE = "workflow";

    static final String FLOWS = "flows";
    static final Draft WORKFLOW = Draft.plain().queue(FLOWS).type(TYPE);
    static final Draft STEP = Draft.plain();

    static final SweepRequest WEEK = new SweepRequest(Duration.ofDays(7), Map.of(), Duration.ofDays(30), 1_000);

    private int starts;

    /** For subclasses. */
    protected WorkflowStoreContract() {}

    final Lease running() {
        create(WORKFLOW);
        return claimFlow();
    }

    final Lease claimFlow() {
        List<Claimed> claimed = claim(ClaimDraft.from(FLOWS)).tasks();
        assertThat(claimed).hasSize(1);
        return claimed.getFirst().lease();
    }

    final void noFlowIsDue() {
        assertThat(claim(ClaimDraft.from(FLOWS)).tasks()).isEmpty();
    }

    final NewLine.Step step(Draft draft) {
        return new NewLine.Step(task(draft));
    }

    static NewLine.Note value(String name) {
        return new NewLine.Note(Kind.VALUE, name, "\"v\"");
    }

    static Settlement.Advance advance(Lease lease, int first, NewLine... lines) {
        return new Settlement.Advance(lease, first, Arrays.asList(lines));
    }

    static Settlement.Wait await(Lease lease, int seen, int more) {
        return new Settlement.Wait(lease, seen, more, null, null);
    }

    final History history(TaskId workflow) {
        return Objects.requireNonNull(
                store.histories(List.of(History.Query.whole(workflow))).get(workflow));
    }

    final List<InboxEntry> inbox(TaskId workflow) {
        return history(workflow).inbox();
    }

    /** Starts a step as the next line of a workflow. */
    final TaskId start(Lease lease, Draft draft) {
        NewLine.Step step = step(draft);
        int first = history(lease.taskId()).lines().size() + 1;
        applied(advance(lease, first, step));
        return Objects.requireNonNull(history(lease.taskId()).lines().getLast().task());
    }

    final Signalled signal(TaskId workflow, String key, String name, @Nullable String document) {
        return (Signalled) store.submit(List.of(new SubmitRequest.Signal(workflow, key, name, document)))
                .getFirst();
    }

    final Signalled signal(TaskId workflow) {
        return signal(workflow, "key-" + starts++, "go", null);
    }

    final void complete(TaskId step) {
        for (Claimed claimed : claim(ClaimDraft.from(Draft.QUEUE)).tasks()) {
            applied(
                    claimed.task().id().equals(step)
                            ? new Settlement.Complete(claimed.lease(), "\"done\"")
                            : new Settlement.PutBack(claimed.lease(), Duration.ZERO));
        }
    }
}
