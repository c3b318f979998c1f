package dev.semel.postgresql;

import java.util.HashSet;
import java.util.Set;

/** What the transactions of one batch of submissions have found out so far, for the next one if the batch is tried again. */
final class PostgresRetryNotes {

    private final Set<PostgresRecordKey> busy = new HashSet<>();
    private final Set<PostgresRecordKey> changing = new HashSet<>();
    private boolean expectsNew;
    private boolean expectsRepeats;

    private PostgresRetryNotes(boolean expectsNew, boolean expectsRepeats) {
        this.expectsNew = expectsNew;
        this.expectsRepeats = expectsRepeats;
    }

    /** For a batch of which nothing is known. */
    static PostgresRetryNotes empty() {
        return new PostgresRetryNotes(false, false);
    }

    /** For a batch of different keys that were all free a moment ago: inserting them shows whether they still are. */
    static PostgresRetryNotes expectingNew() {
        return new PostgresRetryNotes(true, false);
    }

    /** For a batch of which some tasks may be stored already. */
    static PostgresRetryNotes expectingRepeats() {
        return new PostgresRetryNotes(false, true);
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
    void busy(PostgresRecordKey key) {
        busy.add(key);
    }

    boolean isBusy(PostgresRecordKey key) {
        return busy.contains(key);
    }

    /** Notes that a key changes its owner although the first look did not show it: it has to be locked in order, with the others. */
    void changes(PostgresRecordKey key) {
        changing.add(key);
    }

    boolean isChanging(PostgresRecordKey key) {
        return changing.contains(key);
    }
}
