package dev.semel.storetests.simulation;

import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.storetests.simulation.History.Answer;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.task.AttemptId;
import dev.semel.testkit.virtualtime.Call;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker begins with one task with a vanished attempt, and has at most twice as many in its hands after each that it has ended: from
 * the claim to the end that it sends.
 */
final class SuspectRules {

    private final Evidence evidence;
    private final Findings findings;
    private static final int MOST = 1 << 20;

    private final Map<String, Set<AttemptId>> held = new HashMap<>();
    // All that were taken and not ended yet, also those whose effects another attempt has settled.
    private final Map<String, Set<AttemptId>> taken = new HashMap<>();
    private final Map<String, Integer> limits = new HashMap<>();

    SuspectRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
    }

    void check() {
        for (Entry<?> entry : evidence.entries()) {
            if (entry.party.equals(LeaseThief.NAME)) {
                continue;
            }
            Set<AttemptId> suspects = held.computeIfAbsent(entry.party, party -> new LinkedHashSet<>());
            Answer<?> answer = entry.answer();
            if (entry.call instanceof Call.Claim claim && answer != null && answer.value() instanceof Claims claims) {
                take(entry.party, suspects, claims, claim.request().repeated());
            } else if (entry.call instanceof Call.Settle settle) {
                leave(entry.party, suspects, settle.batch(), answer);
            }
        }
    }

    private void take(String party, Set<AttemptId> suspects, Claims claims, boolean repeated) {
        boolean more = false;
        for (Claimed claimed : claims.tasks()) {
            if (claimed.task().progress().vanished() > 0) {
                more |= suspects.add(claimed.lease().attemptId());
                taken.computeIfAbsent(party, name -> new LinkedHashSet<>())
                        .add(claimed.lease().attemptId());
            }
        }
        // A claim that is late and overtaken by its own repetition takes twice under one number, and when it is
        // repeated
        // once more it gets back both.
        if (more && suspects.size() > limits.getOrDefault(party, 1) && !repeated) {
            findings.broken(
                    Invariant.SUSPECTS,
                    evidence.task(suspects.iterator().next().taskId()),
                    party + " has the suspects " + suspects + " at once");
            suspects.clear();
        }
    }

    private static boolean isLost(Settled answer) {
        return answer == Settled.STALE || answer == Settled.NOT_FOUND || answer == Settled.CONCLUDED;
    }

    private void leave(
            String party, Set<AttemptId> suspects, List<Settlement> settlements, @Nullable Answer<?> answer) {
        for (int i = 0; i < settlements.size(); i++) {
            AttemptId lease = settlements.get(i).lease().attemptId();
            if (settlements.get(i) instanceof Settlement.Ending) {
                suspects.remove(lease);
                if (taken.computeIfAbsent(party, name -> new LinkedHashSet<>()).remove(lease)) {
                    limits.merge(party, 2, (before, two) -> Math.min(MOST, before * two));
                }
            } else if (answer != null && isLost((Settled) ((List<?>) answer.value()).get(i))) {
                suspects.remove(lease); // as the worker now knows
            }
        }
    }
}
