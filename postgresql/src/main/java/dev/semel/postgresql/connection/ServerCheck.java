package dev.semel.postgresql.connection;

import dev.semel.postgresql.sql.AutoCommit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells the server of a store from another server with a copy of its database, which has the same name and the same tables,
 * made at the same time. A task that joined a transaction there would never be seen here.
 *
 * <p>Servers are told apart by the time at which they started, to the microsecond, which every user may read. Neither an address
 * (a pooler, a container and a failover change it) nor the identifier of the system (a physical copy has the same) does that.
 * A start that is not known yet is no proof, because a server may have been restarted or taken over by its standby: then the
 * store's own connection says where it is now. Where that differs as well, one holds a lock and the other looks whether it is
 * held, so that a database with several front servers is not taken for several databases.
 */
public final class ServerCheck {

    private static final String STARTED = "SELECT extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text";

    private static final String HOLD = "SELECT pg_catalog.pg_advisory_xact_lock(?)";
    private static final String TRY = "SELECT pg_catalog.pg_try_advisory_xact_lock(?)";

    // Restarts of a server while a program runs are few; only a database with many front servers has more.
    private static final int MOST_KNOWN = 100;

    /** Where connections of the store come from. */
    interface Source {
        Connection get() throws SQLException;
    }

    private final Source source;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    ServerCheck(Source source) {
        this.source = source;
    }

    /** Notes the server that a connection of the store leads to. */
    public void note(Connection own) throws SQLException {
        note(started(own));
    }

    private void note(String started) {
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.add(started);
    }

    /** Returns whether a caller's connection leads to the server of the store. */
    public boolean isOfStore(Connection callers) throws SQLException {
        return isOfStore(callers, started(callers));
    }

    /** Returns whether a caller's connection, to a server that started then, leads to the server of the store. */
    public boolean isOfStore(Connection callers, String started) throws SQLException {
        if (known.contains(started)) {
            return true;
        }
        try (Connection own = source.get();
                AutoCommit manual = AutoCommit.off(own)) {
            try {
                note(own);
                if (!known.contains(started) && sharesLocks(own, callers)) {
                    note(started);
                }
            } finally {
                own.rollback();
            }
        }
        return known.contains(started);
    }

    private static boolean sharesLocks(Connection own, Connection callers) throws SQLException {
        long lock = UUID.randomUUID().getLeastSignificantBits();
        boolean unused = is(own, HOLD, lock);
        return !is(callers, TRY, lock);
    }

    private static boolean is(Connection connection, String sql, long lock) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, lock);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && "t".equals(row.getString(1));
            }
        }
    }

    private static String started(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(STARTED)) {
            row.next();
            return row.getString(1);
        }
    }
}
