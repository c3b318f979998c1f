package dev.semel.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Counts how often a program waits for an answer of a server: executed statements, commits and rollbacks. The driver
 * sends the start of a transaction with its first statement.
 */
final class RoundTrips {

    private RoundTrips() {}

    /** Returns a data source that counts round trips. It is too slow for measuring time. */
    static DataSource counting(DataSource source, AtomicLong count) {
        return wrapped(DataSource.class, source, count);
    }

    private static <T> T wrapped(Class<T> type, T target, AtomicLong count) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (isRoundTrip(method)) {
                        count.incrementAndGet();
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        // The result of unwrap is returned as it is.
                        return method.getName().equals("unwrap") ? answer : wrappedAnswer(answer, count);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static Object wrappedAnswer(Object answer, AtomicLong count) {
        return switch (answer) {
            case null -> answer;
            case Connection connection -> wrapped(Connection.class, connection, count);
            case PreparedStatement statement -> wrapped(PreparedStatement.class, statement, count);
            case Statement statement -> wrapped(Statement.class, statement, count);
            default -> answer;
        };
    }

    private static boolean isRoundTrip(Method method) {
        return switch (method.getName()) {
            case "execute", "executeQuery", "executeUpdate", "executeBatch", "commit", "rollback" -> true;
            default -> false;
        };
    }
}
