package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.AttemptEnd;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task.Progress;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The ends of attempts, M4, M7, M11 and E7, cell by cell: through the store, compared with {@link AttemptEnd}. */
public abstract class AttemptEndContract extends StoreContract {

    /** What a task has behind it when the attempt begins whose end is compared: stores take other paths for each. */
    private enum Past {
        NONE,
        MUTEX,
        EFFECT,
        RETRIED,
        VANISHED
    }

    private int queues;

    /** For subclasses. */
    protected AttemptEndContract() {}

    @Test
    @DisplayName("M4, M7, M11, E7: every end of an attempt changes its task as the rule says")
    void everyEndOfAnAttemptHolds() {
        for (Past past : Past.values()) {
            for (boolean asked : new boolean[] {false, true}) {
                for (int kind = 0; kind < MoveContract.KINDS; kind++) {
                    Lease lease = running(past);
                    ask(lease, asked);
                    Settlement.Ending ending =
                            (Settlement.Ending) MoveContract.endings(lease).get(kind);
                    Progress before = read(lease.taskId()).progress();
                    clock.advance(Duration.ofSeconds(1));
                    applied(ending);
                    AttemptEnd end = AttemptEnd.of(ending, asked, past == Past.EFFECT, clock.instant());
                    assertEnded(lease, end.after(before, clock.instant()), end, past + " " + ending);
                }
            }
        }
    }

    @Test
    @DisplayName("C3, M7, M11: a vanished attempt changes its task as the rule says")
    void everyVanishedAttemptHolds() {
        for (Past past : Past.values()) {
            Lease asked = running(past);
            Lease swept = running(past);
            Lease again = running(past);
            ask(asked, true);
            ask(swept, true);
            Map<Lease, Progress> before =
                    Map.of(asked, progress(asked), swept, progress(swept), again, progress(again));
            leasesExpire();
            assertThat(claim(ClaimDraft.from(queue(asked))).tasks()).isEmpty();
            store.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 10));
            List<Claimed> next = claim(ClaimDraft.from(queue(again))).tasks();

            AttemptEnd end = AttemptEnd.vanished(true, clock.instant());
            for (Lease lease : List.of(asked, swept)) {
                assertEnded(lease, end.after(of(before, lease), clock.instant()), end, past + " " + lease);
            }
            AttemptEnd lost = AttemptEnd.vanished(false, clock.instant());
            Progress pending = lost.after(of(before, again), clock.instant());
            assertThat(next).hasSize(1);
            Progress claimed = next.getFirst().task().progress();
            assertThat(claimed.attempt()).isEqualTo(pending.attempt() + 1);
            assertThat(claimed.failures()).isEqualTo(pending.failures());
            assertThat(claimed.vanished()).isEqualTo(pending.vanished());
            assertThat(claimed.lastError()).isEqualTo(pending.lastError());
            assertLine(again, lost, past.name());
        }
    }

    /** A running task, alone in a queue of its own. */
    private Lease running(Past past) {
        String queue = "ends-" + queues++;
        Draft draft = Draft.plain().queue(queue);
        create(past == Past.MUTEX ? draft.mutex(queue) : draft);
        Lease first = claimFrom(queue);
        return switch (past) {
            case NONE, MUTEX -> first;
            case EFFECT -> {
                applied(EffectStoreContract.intend(first));
                yield first;
            }
            case RETRIED -> {
                applied(new Settlement.Retry(first, Duration.ZERO, "before"));
                yield claimFrom(queue);
            }
            case VANISHED -> {
                leasesExpire();
                yield claimFrom(queue);
            }
        };
    }

    private Lease claimFrom(String queue) {
        List<Claimed> claimed = claim(ClaimDraft.from(queue)).tasks();
        assertThat(claimed).hasSize(1);
        return claimed.getFirst().lease();
    }

    private void ask(Lease lease, boolean asked) {
        if (asked) {
            assertThat(apply(new Operation.Cancel(lease.taskId()))).isEqualTo(Operated.CANCEL_REQUESTED);
        }
    }

    private String queue(Lease lease) {
        return read(lease.taskId()).queue();
    }

    private Progress progress(Lease lease) {
        return read(lease.taskId()).progress();
    }

    private static Progress of(Map<Lease, Progress> all, Lease lease) {
        Progress progress = all.get(lease);
        if (progress == null) {
            throw new AssertionError("Nothing is known of " + lease);
        }
        return progress;
    }

    private void assertEnded(Lease lease, Progress expected, AttemptEnd end, String cell) {
        TaskId id = lease.taskId();
        assertThat(read(id).progress()).as("%s", cell).isEqualTo(expected);
        assertLine(lease, end, cell);
    }

    private void assertLine(Lease lease, AttemptEnd end, String cell) {
        Attempt line = store.attempts(lease.taskId()).get(lease.attempt() - 1);
        assertThat(line.number()).as("%s", cell).isEqualTo(lease.attempt());
        assertThat(line.outcome()).as("%s", cell).isEqualTo(end.outcome());
        assertThat(line.error()).as("%s", cell).isEqualTo(end.error());
        assertThat(line.endedAt()).as("%s", cell).isEqualTo(clock.instant());
    }
}
