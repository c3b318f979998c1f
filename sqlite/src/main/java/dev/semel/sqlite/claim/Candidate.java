package dev.semel.sqlite.claim;

import dev.semel.sqlite.transaction.Lane;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.List;

/**
 * A task that a claim may take.
 *
 * @param bytes those of its input, or 0 if the claim has no limit of bytes
 * @param woken whether it is a workflow that continues after a wait and was taken as such, past a rate limit
 */
record Candidate(long seq, long orderAt, int bytes, boolean suspect, boolean woken, Lane lane) {

    /** Returns how long it has been due. */
    Duration waited(int priority, long now) {
        return Duration.ofMillis(now - orderAt).minus(Limits.PRIORITY_STEP.multipliedBy(priority));
    }

    /** The numbers of these as a JSON array. */
    static String json(List<Candidate> some) {
        StringBuilder seqs = new StringBuilder(some.size() * 8).append('[');
        for (Candidate candidate : some) {
            seqs.append(seqs.length() == 1 ? "" : ",").append(candidate.seq);
        }
        return seqs.append(']').toString();
    }
}
