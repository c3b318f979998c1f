package dev.semel.spring.transaction;

import dev.semel.JoinedSemel;
import dev.semel.Semel;
import dev.semel.TransactionLookup;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has bound to the calling thread. A submission inside it becomes part of it, and workers
 * are woken after its commit.
 *
 * <p>It listens to the transaction managers, because a callback after the commit still sees the connection of the
 * transaction: a submission that joined it there would not be committed by anybody. Such a submission stands on its own.
 */
public final class SpringTransactions implements TransactionLookup, TransactionExecutionListener {

    private static final String WHAT_TO_DO =
            " Submit outside of the transaction, or set semel.join=never to send such submissions at once, whether or"
                    + " not the transaction commits.";

    private final @Nullable DataSource source;

    // A holder belongs to one transaction. Weak, because nothing else has to forget those that have ended.
    private final Set<ConnectionHolder> ending =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /**
     * Creates the lookup.
     *
     * @param source the data source of the store's database, as the transaction managers know it; null if the store
     *     has storage of its own, so that no transaction can be joined
     */
    public SpringTransactions(@Nullable DataSource source) {
        this.source = source;
    }

    @Override
    public Optional<JoinedSemel> current(Semel semel) {
        if (TransactionSynchronizationManager.getResource(this) instanceof JoinedSemel joined) {
            return Optional.of(joined);
        }
        return connection("A submission").map(connection -> joined(semel, connection));
    }

    /**
     * Returns the connection of the calling thread's transaction.
     *
     * @param what what wants to join it, for the message
     * @return the connection; empty if no transaction is open, or it has just ended
     * @throws InvalidInput if a transaction is open that the store cannot join
     */
    public Optional<Connection> connection(String what) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return Optional.empty();
        }
        if (source == null) {
            throw new InvalidInput(what + " joins the open transaction, but the tasks are not kept in a data source of"
                    + " the application." + WHAT_TO_DO);
        }
        ConnectionHolder holder = holder(source);
        if (holder == null) {
            throw new InvalidInput(what + " joins the open transaction, but that transaction \""
                    + TransactionSynchronizationManager.getCurrentTransactionName()
                    + "\" is not one of the data source in which the tasks are kept." + WHAT_TO_DO);
        }
        if (ending.contains(holder)) {
            return Optional.empty();
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidInput(what + " joins the open transaction, but that transaction \""
                    + TransactionSynchronizationManager.getCurrentTransactionName() + "\" is read-only." + WHAT_TO_DO);
        }
        Connection connection = holder.getConnection();
        try {
            if (connection.getAutoCommit()) {
                throw new InvalidInput(what + " joins the open transaction, but the transaction manager of \""
                        + TransactionSynchronizationManager.getCurrentTransactionName()
                        + "\" does not manage the data source in which the tasks are kept." + WHAT_TO_DO);
            }
        } catch (SQLException e) {
            throw new StoreUnavailable(
                    "The connection of the open transaction failed. Roll it back and run it again.", e);
        }
        return Optional.of(connection);
    }

    private static @Nullable ConnectionHolder holder(DataSource source) {
        return TransactionSynchronizationManager.getResource(source) instanceof ConnectionHolder holder ? holder : null;
    }

    private JoinedSemel joined(Semel semel, Connection connection) {
        JoinedSemel joined = semel.joining(connection);
        ConnectionHolder holder = source == null ? null : holder(source);
        if (holder != null && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.bindResource(this, joined);
            TransactionSynchronizationManager.registerSynchronization(new WakeUp(joined, holder));
        }
        return joined;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        end(transaction);
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        end(transaction);
    }

    private void end(TransactionExecution transaction) {
        // Not at the end of a savepoint: its transaction goes on.
        if (transaction.isNewTransaction()) {
            ConnectionHolder holder = source == null ? null : holder(source);
            if (holder != null) {
                ending.add(holder);
            }
            TransactionSynchronizationManager.unbindResourceIfPossible(this);
        }
    }

    /** Wakes the workers after the commit, and keeps the joined submissions with their transaction. */
    private final class WakeUp implements TransactionSynchronization {

        private final JoinedSemel joined;
        private final ConnectionHolder holder;

        WakeUp(JoinedSemel joined, ConnectionHolder holder) {
            this.joined = joined;
            this.holder = holder;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
        }

        @Override
        public void resume() {
            // A callback after the commit may have suspended it, to run a transaction of its own.
            if (!ending.contains(holder)) {
                TransactionSynchronizationManager.bindResource(SpringTransactions.this, joined);
            }
        }

        @Override
        public void afterCommit() {
            joined.committed();
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
        }
    }
}
