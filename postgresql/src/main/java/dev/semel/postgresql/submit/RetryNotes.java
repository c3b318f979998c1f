package dev.semel.postgresql.submit;

import dev.semel.postgresql.transaction.RecordKey;
import java.util.HashSet;
import java.util.Set;

/** What the transactions of one batch of submissions have found out so far, for the next one if the batch is tried again. */
public final class RetryNotes {

    private final Set<RecordKey> busy = new HashSet<>();
    private final Set<RecordKey> changing = new HashSet<>();
    private boolean expectsNew;
    private boolean expectsRepeats;

    private RetryNotes(boolean expectsNew, boolean expectsRepeats) {
        this.expectsNew = expectsNew;
        this.expectsRepeats = expectsRepeats;
    }

    /** For a batch of which nothing is known. */
    public static RetryNotes empty() {
        return new RetryNotes(false, false);
    }

    /** For a batch of different keys that are probably free: inserting them shows whether they are. */
    static RetryNotes expectingNew() {
        return new RetryNotes(true, false);
    }

    /** For a batch of which some tasks may be stored already. */
    public static RetryNotes expectingRepeats() {
        return new RetryNotes(false, true);
    }

    /** Whether the transaction inserts without looking up the keys first. */
    boolean expectsNew() {
        return expectsNew;
    }

    /** Notes that the next transaction has to look up the keys first. */
    void lookFirst() {
        expectsNew = false;
    }

    /** Whether the transaction looks up all tasks of the batch by their ids before it inserts. */
    boolean expectsRepeats() {
        return expectsRepeats;
    }

    /** Notes that a task of the batch is stored already. */
    void expectRepeats() {
        expectsRepeats = true;
    }

    /** Notes that a caller's open transaction holds an identity. */
    void busy(RecordKey key) {
        busy.add(key);
    }

    boolean isBusy(RecordKey key) {
        return busy.contains(key);
    }

    /** Notes that a key changes its owner although the first look did not show it: it has to be locked in order, with the others. */
    void changes(RecordKey key) {
        changing.add(key);
    }

    boolean isChanging(RecordKey key) {
        return changing.contains(key);
    }
}
