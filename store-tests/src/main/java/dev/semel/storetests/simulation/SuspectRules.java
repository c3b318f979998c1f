package dev.semel.storetests.simulation;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Transition;
import dev.semel.storetests.simulation.History.Answer;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.task.Lease;
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

    private final Map<String, Set<Lease>> held = new HashMap<>();
    // All that were taken and not ended yet, also those whose effects another attempt has settled.
    private final Map<String, Set<Lease>> taken = new HashMap<>();
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
            Set<Lease> suspects = held.computeIfAbsent(entry.party, party -> new LinkedHashSet<>());
            Answer<?> answer = entry.answer();
            if (entry.call instanceof Call.Claim claim && answer != null && answer.value() instanceof Claims claims) {
                take(entry.party, suspects, claims, claim.request().repeated());
            } else if (entry.call instanceof Call.Apply apply) {
                leave(entry.party, suspects, apply.moves(), answer);
            }
        }
    }

    private void take(String party, Set<Lease> suspects, Claims claims, boolean repeated) {
        boolean more = false;
        for (Claimed claimed : claims.tasks()) {
            if (claimed.task().progress().vanished() > 0) {
                more |= suspects.add(claimed.lease());
                taken.computeIfAbsent(party, name -> new LinkedHashSet<>()).add(claimed.lease());
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

    private static boolean isLost(Applied applied) {
        return applied == Applied.STALE || applied == Applied.NOT_FOUND || applied == Applied.SETTLED;
    }

    private void leave(String party, Set<Lease> suspects, List<Transition> moves, @Nullable Answer<?> answer) {
        for (int i = 0; i < moves.size(); i++) {
            if (moves.get(i) instanceof Transition.Ending ending) {
                suspects.remove(ending.lease());
                if (taken.computeIfAbsent(party, name -> new LinkedHashSet<>()).remove(ending.lease())) {
                    limits.merge(party, 2, (before, two) -> Math.min(MOST, before * two));
                }
            } else if (moves.get(i) instanceof Transition.ByWorker other
                    && answer != null
                    && ((List<?>) answer.value()).get(i) instanceof Applied applied
                    && isLost(applied)) {
                suspects.remove(other.lease()); // as the worker now knows
            }
        }
    }
}
