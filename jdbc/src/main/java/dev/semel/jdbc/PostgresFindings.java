package dev.semel.jdbc;

import dev.semel.jdbc.PostgresRecords.RecordKey;
import java.util.HashSet;
import java.util.Set;

/** What the transactions of one batch of submissions have found out so far, for the next one if they are run again. */
final class PostgresFindings {

    private final Set<RecordKey> busy = new HashSet<>();
    private final Set<RecordKey> changing = new HashSet<>();
    private boolean repeats;
    private boolean onlyNew;

    /** For a batch of which nobody has to look first who holds its keys: adding them tells. */
    static PostgresFindings expectingOnlyNew(boolean expecting) {
        PostgresFindings findings = new PostgresFindings();
        findings.onlyNew = expecting;
        return findings;
    }

    /** For a batch in which tasks that were submitted before are no surprise. */
    static PostgresFindings expectingRepeats() {
        PostgresFindings findings = new PostgresFindings();
        findings.repeats = true;
        return findings;
    }

    /** Whether all keys are taken for new until adding them shows that they are not. */
    boolean expectsOnlyNew() {
        return onlyNew;
    }

    void expectHolders() {
        onlyNew = false;
    }

    /** Whether a task of the batch was found to be there already: the next transaction looks before it inserts. */
    boolean expectsRepeats() {
        return repeats;
    }

    void expectRepeats() {
        repeats = true;
    }

    /** Notes that another transaction, which stays open, holds an identity. */
    void busy(RecordKey key) {
        busy.add(key);
    }

    boolean isBusy(RecordKey key) {
        return busy.contains(key);
    }

    /** Notes that a key changes hands although the first look did not say so: it has to be locked in order, with the others. */
    void changes(RecordKey key) {
        changing.add(key);
    }

    boolean isChanging(RecordKey key) {
        return changing.contains(key);
    }
}
