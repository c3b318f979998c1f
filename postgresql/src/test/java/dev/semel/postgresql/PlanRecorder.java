package dev.semel.postgresql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connections that record each statement with the plan by which the server executed it, and the rows and blocks that it
 * touched. The server's module {@code auto_explain} sends them as notices, so what is recorded is what the store ran, with its
 * own settings, kept plans and parameters.
 */
final class PlanRecorder extends PGSimpleDataSource {

    private static final long serialVersionUID = 1L;

    private static final String SETTINGS = """
            LOAD 'auto_explain';
            SET auto_explain.log_min_duration = 0;
            SET auto_explain.log_analyze = on;
            SET auto_explain.log_buffers = on;
            SET auto_explain.log_timing = off;
            SET auto_explain.log_level = notice
            """;

    // Since version 16 the values are sent as well: 10,000 of them with each statement.
    private static final String WITHOUT_VALUES = "SET auto_explain.log_parameter_max_length = 0";
    private static final int LOGS_VALUES = 16;

    private static final Pattern NOTICE =
            Pattern.compile("plan:\\s*Query Text: (.*?)\\n(\\w[^\\n]*\\(cost=.*)", Pattern.DOTALL);
    private static final Pattern NODE = Pattern.compile("actual rows=([0-9.]+) loops=([0-9]+)\\)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by [^:]+: ([0-9]+)");
    private static final Pattern BLOCKS = Pattern.compile("Buffers: shared([^\\n]*)");
    private static final Pattern NUMBER = Pattern.compile("(?:hit|read)=([0-9]+)");

    /**
     * One execution of a statement.
     *
     * @param sql its text, with {@code ?} for parameters and single spaces
     * @param items how many things it was about: the length of its longest array, or the rows that it gave or changed
     * @param work rows that the nodes of its plan gave or rejected, and blocks that they touched
     */
    record Execution(String sql, String plan, long items, long work) {}

    private final transient Queue<Execution> executions = new ConcurrentLinkedQueue<>();

    PlanRecorder(PGSimpleDataSource database) {
        setURL(database.getURL());
        setUser(database.getUser());
    }

    Queue<Execution> executions() {
        return executions;
    }

    /** A statement as it is recorded. */
    static String normalized(String sql) {
        return sql.replaceAll("\\$\\d+", "?").replaceAll("\\s+", " ").strip();
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        Connection real = super.getConnection(user, password);
        try (Statement statement = real.createStatement()) {
            statement.execute(SETTINGS);
            if (real.getMetaData().getDatabaseMajorVersion() >= LOGS_VALUES) {
                statement.execute(WITHOUT_VALUES);
            }
        }
        return new Recorded(real).proxy();
    }

    /** One connection. */
    private final class Recorded {

        private final Connection real;
        private long longest;
        private final Map<String, Deque<Long>> items = new HashMap<>();

        Recorded(Connection real) {
            this.real = real;
        }

        Connection proxy() {
            return (Connection) Proxy.newProxyInstance(
                    PlanRecorder.class.getClassLoader(), new Class<?>[] {Connection.class}, this::onConnection);
        }

        private @Nullable Object onConnection(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            Object answer = invoke(method, real, arguments);
            if (!real.isClosed()) {
                // With a commit, or with COPY.
                record(real.getWarnings());
                real.clearWarnings();
            }
            if (method.getName().equals("createArrayOf") && arguments != null) {
                longest = Math.max(longest, ((Object[]) arguments[1]).length);
            }
            if (answer instanceof Statement statement) {
                boolean prepared = answer instanceof PreparedStatement && arguments != null;
                String sql = prepared ? (String) arguments[0] : "";
                return Proxy.newProxyInstance(
                        PlanRecorder.class.getClassLoader(),
                        new Class<?>[] {prepared ? PreparedStatement.class : Statement.class},
                        (self, called, values) -> onStatement(statement, sql, called, values));
            }
            return answer;
        }

        private @Nullable Object onStatement(
                Statement statement, String sql, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (!method.getName().startsWith("execute")) {
                return invoke(method, statement, arguments);
            }
            note(sql, longest);
            longest = 0;
            Object answer = invoke(method, statement, arguments);
            if (answer instanceof Integer rows) {
                note(sql, rows);
            }
            record(statement.getWarnings());
            statement.clearWarnings();
            return answer;
        }

        private void record(@Nullable SQLWarning first) {
            for (SQLWarning notice = first; notice != null; notice = notice.getNextWarning()) {
                PlanRecorder.this.record(notice.getMessage(), items);
            }
        }

        /** Inside of a transaction the plan of a query comes with the next statement, perhaps of the same text. */
        private void note(String sql, long number) {
            for (String part : sql.split(";", -1)) {
                Deque<Long> last = items.computeIfAbsent(normalized(part), text -> new ArrayDeque<>());
                last.addLast(number);
                if (last.size() > 3) {
                    last.removeFirst();
                }
            }
        }

        private @Nullable Object invoke(Method method, Object target, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private void record(String notice, Map<String, Deque<Long>> noted) {
        Matcher matcher = NOTICE.matcher(notice);
        if (!matcher.find()) {
            return;
        }
        String plan = matcher.group(2);
        double rows = 0;
        double first = -1;
        double loops = 1;
        long blocks = 0;
        for (String line : plan.split("\n", -1)) {
            Matcher node = NODE.matcher(line);
            if (node.find()) {
                loops = Double.parseDouble(node.group(2));
                rows += Double.parseDouble(node.group(1)) * loops;
                first = first < 0 ? rows : first;
            }
            Matcher removed = REMOVED.matcher(line);
            if (removed.find()) {
                rows += Double.parseDouble(removed.group(1)) * loops;
            }
            Matcher touched = BLOCKS.matcher(line);
            if (touched.find()) {
                // A node's blocks include those of the nodes below it.
                blocks = Math.max(blocks, sum(touched.group(1)));
            }
        }
        String sql = normalized(matcher.group(1));
        long items = Math.max(1, (long) first);
        for (long number : noted.getOrDefault(sql, new ArrayDeque<>())) {
            items = Math.max(items, number);
        }
        executions.add(new Execution(sql, plan, items, (long) rows + blocks));
    }

    private static long sum(String blocks) {
        return NUMBER.matcher(blocks)
                .results()
                .mapToLong(number -> Long.parseLong(number.group(1)))
                .sum();
    }
}
