package dev.semel.postgresql.settle;

import dev.semel.jdbc.HandlersConnection;
import dev.semel.postgresql.connection.AnswerLimit;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreNews;
import dev.semel.store.Transacting.Work;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Completes a task in one transaction with the handler's own writes. The handler's statements run as the user's pool has set
 * its connections up, but for the isolation; the store's own limits and ways of planning hold only for the completion behind
 * them. It is tried once, because the writes are the user's: after a lost race the attempt is run again.
 */
public final class HandlerTransactions {

    // Whoever waits for the lease's row has to see what the holder did. For this transaction alone: a setting of the
    // session would stay behind in a session that a pooler gives to somebody else.
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    // A number that no other transaction has: so it shows if the handler ended this one by itself.
    private static final String NUMBER = "SELECT pg_current_xact_id()::text";

    private static final String RUNS = "SELECT 1 FROM semel.running WHERE task = ? AND attempt = ? FOR UPDATE";

    private static final String IS_THERE = "SELECT 1 FROM semel.task WHERE id = ?";

    private final Database database;

    public HandlerTransactions(Database database) {
        this.database = database;
    }

    public Settled complete(Lease lease, Work work) throws Exception {
        Connection connection = connection();
        StoreNews news;
        // The handler's statements may take longer than the store's own.
        try (connection;
                AnswerLimit.Restored limited = database.thoroughly(connection)) {
            boolean automatic = connection.getAutoCommit();
            try {
                begin(connection, automatic);
                String number = number(connection);
                String result;
                try (HandlersConnection handlers = new HandlersConnection(
                        connection, HandlersConnection.Over.NEVER, ErrorTranslator::isOfServer)) {
                    result = written(handlers, work);
                }
                SharedLeases leases = new SharedLeases(List.of(lease));
                Transaction tx = completing(connection, number, leases);
                Settled answer = completed(tx, lease, leases, result);
                if (answer != Settled.APPLIED) {
                    connection.rollback();
                    return answer;
                }
                commit(connection);
                news = tx.news();
            } catch (Exception e) {
                Database.rollBack(connection, e);
                throw e;
            } catch (Error e) {
                Database.giveUp(connection);
                throw e;
            } finally {
                giveBack(connection, automatic);
            }
        }
        database.tell(news);
        return Settled.APPLIED;
    }

    private @Nullable String written(HandlersConnection handlers, Work work) throws Exception {
        try {
            return work.run(handlers.connection());
        } catch (Exception e) {
            SQLException failure = handlers.failureBehind(e);
            throw failure == null ? e : database.translated(failure);
        }
    }

    private Connection connection() {
        try {
            return database.connection();
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    private void begin(Connection connection, boolean automatic) {
        try {
            if (automatic) {
                connection.setAutoCommit(false);
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute(READ_COMMITTED);
            }
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    private @Nullable String number(Connection connection) {
        try {
            return database.session(connection).sql(NUMBER).first(row -> row.getString(1));
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    /** What the completion needs to know, its lock on a shared lease, and the limits that hold for it. */
    private Transaction completing(Connection connection, @Nullable String number, SharedLeases leases) {
        try {
            if (!Objects.equals(number, database.session(connection).sql(NUMBER).first(row -> row.getString(1)))) {
                throw new InvalidInput("The transaction of a handler ends with its task, but the handler has ended it"
                        + " before, by a COMMIT or ROLLBACK of its own. What it committed stays, and its task is not"
                        + " completed. Leave that out.");
            }
            return database.beginHere(connection, leases);
        } catch (SQLException e) {
            if (ErrorTranslator.isFailedTransaction(e)) {
                throw new InvalidInput(
                        "PostgreSQL takes nothing more in a transaction of which a statement has failed, but the handler"
                                + " went on after one. Throw its exception, or undo the statement by a savepoint.",
                        e);
            }
            throw database.translated(e);
        }
    }

    private Settled completed(Transaction tx, Lease lease, SharedLeases leases, @Nullable String result) {
        try {
            // Not by the answer to the completion alone: one that was committed before is applied once more, and the
            // writes would be done twice.
            if (leases.sharedBy(lease).isEmpty() && !runs(tx, lease)) {
                boolean there = tx.sql(IS_THERE).with(lease.taskId()).first(row -> true) != null;
                return there ? Settled.STALE : Settled.NOT_FOUND;
            }
            Settled answer = new Settlements(tx, leases, NewSteps.none())
                    .settle(List.of(new Settlement.Complete(lease, result)))
                    .getFirst();
            tx.finish();
            return answer;
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    private static boolean runs(Transaction tx, Lease lease) throws SQLException {
        return tx.sql(RUNS).with(lease.taskId()).with(lease.attempt()).first(row -> true) != null;
    }

    private void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            if (ErrorTranslator.isConstraintViolation(e)) {
                throw e; // a deferred constraint of the handler's own tables; nothing was committed
            }
            throw new StoreUnavailable(
                    "The PostgreSQL store " + database.shown() + " did not answer a commit (SQLSTATE "
                            + ErrorTranslator.state(e)
                            + "). Whether the handler's writes and the completion of its task"
                            + " were stored is not known; either both were or neither.",
                    e);
        }
    }

    /** As it came: not every pool resets what was set. */
    private static void giveBack(Connection connection, boolean automatic) {
        try {
            if (!connection.isClosed() && automatic) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            // The connection is broken, and closing it is all that is left to do.
            return;
        }
    }
}
