package dev.semel.store;

import dev.semel.task.AttemptId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The advances of one batch of settlements that were rejected as full or busy (F24). The end of the same attempt that follows in the batch gets
 * the same answer and is not carried out: otherwise a workflow would wait for steps that were never started.
 */
public final class RejectedAdvances {

    private final Map<AttemptId, Settled> rejected = new HashMap<>();

    /** Creates an empty collection. */
    public RejectedAdvances() {}

    /**
     * Notes the answer to a settlement.
     *
     * @param settlement the settlement
     * @param answer its answer
     */
    public void note(Settlement settlement, Settled answer) {
        if (settlement instanceof Settlement.Advance && (answer == Settled.FULL || answer == Settled.BUSY)) {
            rejected.put(settlement.lease().attemptId(), answer);
        }
    }

    /**
     * Returns the answer to a settlement that must not be carried out.
     *
     * @param settlement the settlement
     * @return the answer, or empty if the settlement is to be carried out
     */
    public Optional<Settled> answer(Settlement settlement) {
        return rejected.isEmpty() || !(settlement instanceof Settlement.Ending)
                ? Optional.empty()
                : Optional.ofNullable(rejected.get(settlement.lease().attemptId()));
    }
}
