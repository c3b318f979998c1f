package dev.semel.sqlite.transaction;

import dev.semel.sqlite.capture.ChangeCapture;
import dev.semel.sqlite.capture.Gate;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.store.StoreNews;
import dev.semel.task.StoreUnavailable;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The writer's transactions on a file with a {@link Gate}. Each operation runs under a savepoint: one that fails costs the
 * others nothing. If the gate does not admit what they changed, they are undone, the file is brought up to date, and they run
 * again, together with those that arrived meanwhile.
 */
final class GatedTransactions {

    private final Gate gate;
    private final DatabaseFile file;
    private final FileClock clock;
    private @Nullable ChangeCapture capture;

    GatedTransactions(Gate gate, DatabaseFile file, FileClock clock) {
        this.gate = gate;
        this.file = file;
        this.clock = clock;
    }

    /** Captures what is written on a new connection of the writer from now on. */
    void attach(Session session) throws SQLException {
        unsynchronized(session);
        capture = ChangeCapture.install(session);
    }

    /** Lets commits not wait for the disk: a copy is built again after an unclean stop. */
    static void unsynchronized(Session session) throws SQLException {
        DatabaseFile.pragma(session, "PRAGMA synchronous = OFF");
    }

    /** Brings the file up to date before the writer begins. */
    void open() throws SQLException {
        Session session = file.openWriter(false);
        unsynchronized(session);
        gate.open(session);
    }

    /**
     * Executes operations in a transaction that has begun, and commits.
     *
     * @param drain adds operations that arrived meanwhile
     * @param leasesHeld whether no lease counts as expired at a time
     */
    StoreNews execute(Catalog known, List<Call<?>> group, Consumer<List<Call<?>>> drain, LongPredicate leasesHeld)
            throws SQLException {
        ChangeCapture changes = capture;
        if (changes == null) {
            throw new IllegalStateException("The connection captures nothing");
        }
        Session open = known.session();
        StoreNews news = new StoreNews();
        gate.awaitTurn();
        drain.accept(group);
        while (true) {
            file.health().require();
            long now = clock.begin(open).millis();
            StoreNews own = executeEach(known, changes, group, () -> newTransaction(known, now, leasesHeld));
            if (gate.admit(open, changes.take(), now)) {
                open.commit();
                news.add(own);
                return news;
            }
            clock.rolledBack();
            open.undo();
            known.forget();
            changes.rolledBack();
            news.add(gate.catchUp());
            gate.awaitTurn();
            if (!open.beginImmediate()) {
                throw new StoreUnavailable(
                        "The SQLite file \"" + file.path() + "\" is locked by another program, but it"
                                + " belongs to this one alone. Find that program, and try again.");
            }
            drain.accept(group);
        }
    }

    private static Transaction newTransaction(Catalog known, long now, LongPredicate leasesHeld) {
        return new Transaction(known, now, () -> leasesHeld.test(now), false);
    }

    private interface Beginning {
        Transaction begin();
    }

    private StoreNews executeEach(Catalog known, ChangeCapture changes, List<Call<?>> group, Beginning beginning)
            throws SQLException {
        Session open = known.session();
        StoreNews news = new StoreNews();
        Transaction tx = beginning.begin();
        for (int i = 0; i < group.size(); i++) {
            Call<?> call = group.get(i);
            open.savepoint();
            try {
                call.run(tx);
                open.releaseSavepoint();
            } catch (SQLException | RuntimeException e) {
                call.failed(e);
                if (e instanceof SQLException sql) {
                    file.health().note(sql);
                }
                open.undoToSavepoint();
                known.forget();
                changes.rolledBack();
                // What the transaction remembers of its own writes may be undone, so the others go on with a new one.
                end(open, tx, news);
                tx = beginning.begin();
            }
        }
        end(open, tx, news);
        return news;
    }

    private void end(Session open, Transaction tx, StoreNews news) throws SQLException {
        clock.leased(open, tx.leasedUntil());
        news.add(tx.news());
    }

    /** Forgets what the connection has captured, because its transaction was rolled back. */
    void rolledBack() {
        ChangeCapture changes = capture;
        if (changes != null) {
            changes.rolledBack();
        }
    }
}
