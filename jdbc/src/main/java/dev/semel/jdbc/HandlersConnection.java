package dev.semel.jdbc;

import dev.semel.task.InvalidInput;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connection that a handler gets for its transaction. It does all that the connection behind it does, except to end the
 * transaction or itself: the store that completes the task does that. When this is closed it closes the statements that the handler
 * left open, and can no longer be used.
 *
 * <p>It is made by reflection, because a transaction waits for the disk a thousand times as long, and JDBC may get further
 * methods.
 */
public final class HandlersConnection implements AutoCloseable {

    private static final int FEW_STATEMENTS = 64;
    private static final int MOST_CAUSES = 20;
    private static final Object[] NONE = {};

    private final Connection behind;
    private final Over over;
    private final Predicate<SQLException> storesFailure;
    private final Connection connection;
    private final List<Statement> statements = new ArrayList<>();
    private int nextLook = FEW_STATEMENTS;
    private volatile boolean closed;
    private volatile @Nullable SQLException failure;

    /** Tells why a transaction is over that nobody here has ended; for databases that end one by themselves. */
    @FunctionalInterface
    public interface Over {

        /** Never over. */
        Over NEVER = () -> null;

        /**
         * The reason.
         *
         * @return null while the transaction is open
         */
        @Nullable
        String reason();
    }

    /**
     * Wraps a connection with an open transaction.
     *
     * @param behind the connection
     * @param over asked before each use
     * @param storesFailure tells whether an error of a statement is the database's and not the statement's
     */
    public HandlersConnection(Connection behind, Over over, Predicate<SQLException> storesFailure) {
        this.behind = behind;
        this.over = over;
        this.storesFailure = storesFailure;
        this.connection = proxy(Connection.class, this::ofConnection);
    }

    /**
     * What the handler gets.
     *
     * @return usable until this is closed
     */
    public Connection connection() {
        return connection;
    }

    /**
     * The database's own failure under what the handler did, if that is why its writes threw: a connection that broke, a disk that is
     * full. It is no failure of the handler's, although it came out of one of its statements.
     *
     * @param thrown what the handler threw
     * @return null if it is the handler's own
     */
    public @Nullable SQLException failureBehind(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; failure == null && cause != null && depth < MOST_CAUSES; depth++) {
            // Rows are read without this class in between, so their errors are found here.
            if (cause instanceof SQLException e && storesFailure.test(e)) {
                failure = e;
            }
            cause = cause.getCause();
        }
        return failure;
    }

    /**
     * The first failure of the database's own that a statement of the handler met.
     *
     * @return null if there was none
     */
    public @Nullable SQLException failure() {
        return failure;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(HandlersConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object ofConnection(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? NONE : arguments;
        switch (method.getName()) {
            case "commit", "close", "abort" -> throw refused(method.getName());
            case "rollback" -> {
                if (given.length == 0) {
                    throw refused("rollback");
                }
            }
            case "setAutoCommit" -> {
                if (given.length == 1 && Boolean.TRUE.equals(given[0])) {
                    throw refused("setAutoCommit(true)");
                }
                return null;
            }
            case "isClosed" -> {
                return closed || behind.isClosed();
            }
            default -> {}
        }
        return ofPart(behind, self, method, arguments);
    }

    /** A call of the connection, or of something that came from it. */
    @SuppressWarnings("ReferenceEquality") // each is equal to itself alone
    private @Nullable Object ofPart(Object part, Object self, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && self == arguments[0];
                case "hashCode" -> System.identityHashCode(self);
                default -> "a handler's " + part;
            };
        }
        if (method.getName().equals("getConnection")) {
            return connection;
        }
        boolean closes = method.getName().equals("close");
        if (closed && !closes) {
            throw new SQLException(
                    "The transaction of this connection is over: it was for the handler's writes alone.");
        }
        String reason = closes ? null : over.reason();
        if (reason != null) {
            throw new SQLException(reason);
        }
        return wrapped(invoked(part, method, arguments), method.getReturnType());
    }

    private @Nullable Object invoked(Object part, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(part, arguments);
        } catch (InvocationTargetException e) {
            if (failure == null && e.getCause() instanceof SQLException thrown && storesFailure.test(thrown)) {
                failure = thrown;
            }
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private @Nullable Object wrapped(@Nullable Object result, Class<?> type) {
        if (result instanceof Statement statement && Statement.class.isAssignableFrom(type)) {
            remember(statement);
        } else if (!(result instanceof DatabaseMetaData)) {
            return result;
        }
        Object part = result;
        return proxy(type, (self, method, arguments) -> ofPart(part, self, method, arguments));
    }

    private synchronized void remember(Statement statement) {
        statements.add(statement);
        if (statements.size() >= nextLook) {
            statements.removeIf(HandlersConnection::isClosed);
            nextLook = Math.max(FEW_STATEMENTS, 2 * statements.size());
        }
    }

    private static boolean isClosed(Statement statement) {
        try {
            return statement.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    private static InvalidInput refused(String what) {
        return new InvalidInput("The transaction of a handler ends with its task, but the handler called \"" + what
                + "\" on its connection. Return to commit, throw to roll back, and leave the connection open; a"
                + " savepoint can undo a part.");
    }

    @Override
    public synchronized void close() {
        closed = true;
        for (Statement statement : statements) {
            try {
                statement.close();
            } catch (SQLException ignored) {
                // Its last execution failed, and the handler knows that.
            }
        }
        statements.clear();
    }
}
