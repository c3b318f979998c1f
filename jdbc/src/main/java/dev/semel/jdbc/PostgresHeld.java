package dev.semel.jdbc;

import dev.semel.jdbc.PostgresFailures.Race;
import dev.semel.jdbc.PostgresRecords.Holder;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Takes the locks of one batch, and finds out which identities another transaction holds that stays open.
 *
 * <p>At first all locks are asked for at once. If that takes too long, the transaction is undone, and the next one asks in
 * halves, each behind a savepoint, until the guilty ones are known. They are left out as busy; the others go on. Lives as
 * long as the batch, over its transactions.
 */
final class PostgresHeld {

    /** Asks for locks. */
    private interface Step {
        void take() throws SQLException;
    }

    private final Set<RecordKey> busy = new HashSet<>();
    private boolean careful;
    private boolean repeats;
    private boolean onlyNew;

    /** For a batch of which nobody has to look first who holds its keys: adding them tells. */
    static PostgresHeld expectingOnlyNew(boolean expecting) {
        PostgresHeld held = new PostgresHeld();
        held.onlyNew = expecting;
        return held;
    }

    /** Whether all keys are taken for new until adding them shows that they are not. */
    boolean expectsOnlyNew() {
        return onlyNew;
    }

    /** For a batch in which tasks that were submitted before are no surprise. */
    static PostgresHeld expectingRepeats() {
        PostgresHeld held = new PostgresHeld();
        held.repeats = true;
        return held;
    }

    /** Whether a task of the batch was found to be there already: the next transaction looks before it inserts. */
    boolean expectsRepeats() {
        return repeats;
    }

    void expectRepeats() {
        repeats = true;
    }

    /** Asks for locks one by one from now on: something was waited for too long. */
    void beCareful() {
        careful = true;
    }

    boolean isBusy(RecordKey key) {
        return busy.contains(key);
    }

    /** Locks records, sorted, and leaves out those that are held for too long. */
    void lock(PostgresTransaction tx, Collection<RecordKey> sorted) throws SQLException {
        List<RecordKey> all = List.copyOf(sorted);
        take(tx, all, () -> {
            if (PostgresRecords.lock(tx, all) != all.size()) {
                throw new Race("a record went while it was waited for");
            }
        });
    }

    /** Adds records, sorted, and leaves out those that somebody else has added and not committed for too long. */
    void add(PostgresTransaction tx, Map<RecordKey, Holder> sorted) throws SQLException {
        SortedMap<RecordKey, Holder> all = new TreeMap<>(sorted);
        // If one is not new the transaction is over, and the next one looks.
        onlyNew = false;
        take(tx, List.copyOf(all.keySet()), () -> PostgresRecords.add(tx, all), part -> add(tx, submap(all, part)));
    }

    private static SortedMap<RecordKey, Holder> submap(SortedMap<RecordKey, Holder> all, List<RecordKey> part) {
        SortedMap<RecordKey, Holder> some = new TreeMap<>(all);
        some.keySet().retainAll(new HashSet<>(part));
        return some;
    }

    /** Goes on with one half. */
    private interface Half {
        void go(List<RecordKey> part) throws SQLException;
    }

    private void take(PostgresTransaction tx, List<RecordKey> keys, Step step) throws SQLException {
        take(tx, keys, step, part -> lock(tx, part));
    }

    private void take(PostgresTransaction tx, List<RecordKey> keys, Step step, Half half) throws SQLException {
        if (!careful) {
            try {
                step.take();
            } catch (SQLException e) {
                if (!PostgresFailures.isLockTimeout(e)) {
                    throw e;
                }
                if (keys.size() == 1) {
                    busy.addAll(keys);
                } else {
                    careful = true;
                }
                // The transaction is over; the next one knows more.
                throw new Race("an identity is held by a transaction that stays open");
            }
            return;
        }
        Connection connection = tx.session().connection();
        Savepoint before = connection.setSavepoint();
        try {
            step.take();
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            if (!PostgresFailures.isLockTimeout(e)) {
                throw e;
            }
            connection.rollback(before);
            if (keys.size() == 1) {
                busy.addAll(keys);
                return;
            }
            List<RecordKey> all = new ArrayList<>(keys);
            half.go(all.subList(0, all.size() / 2));
            half.go(all.subList(all.size() / 2, all.size()));
        }
    }
}
