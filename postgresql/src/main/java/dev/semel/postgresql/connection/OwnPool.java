package dev.semel.postgresql.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.postgresql.sql.ErrorTranslator;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The pool of a store that was opened by a URL. It waits for a server that does not answer, or for a free connection, but not for
 * one that refuses connections: that answer is known at once, and whoever submits may try another way. Workers repeat
 * their calls in any case.
 *
 * <p>Hikari itself knows one time to wait, whatever the reason. So it is asked again and again for a short time.
 */
public final class OwnPool extends HikariDataSource {

    private static final long LIMIT_MILLIS = 10_000;
    private static final long STEP_MILLIS = 500;

    private OwnPool(HikariConfig config) {
        super(config);
    }

    /**
     * Makes a pool.
     *
     * @param config its settings, without where connections come from and how long to wait for one
     * @param source where connections come from
     */
    public static OwnPool of(HikariConfig config, Source source) {
        config.setDataSource(source);
        config.setConnectionTimeout(STEP_MILLIS);
        return new OwnPool(config);
    }

    @Override
    public Connection getConnection() throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try {
                return super.getConnection();
            } catch (SQLTransientConnectionException e) {
                // With live connections an earlier refusal says nothing about this call.
                boolean refused =
                        ErrorTranslator.isNoServer(e) && getHikariPoolMXBean().getTotalConnections() == 0;
                if (refused || System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS)) {
                    throw e;
                }
            }
        }
    }

    /** The connections of the pool. Hikari would limit a login to the time that it waits, which is too short for TLS from afar. */
    public static final class Source extends PGSimpleDataSource {

        private static final long serialVersionUID = 1L;

        /** Limits a login, unless the URL does. */
        public void limitLogin() {
            if (getLoginTimeout() == 0) {
                super.setLoginTimeout((int) TimeUnit.MILLISECONDS.toSeconds(LIMIT_MILLIS));
            }
        }

        /** Does nothing: see {@link #limitLogin}. */
        @Override
        public void setLoginTimeout(int seconds) {}
    }
}
