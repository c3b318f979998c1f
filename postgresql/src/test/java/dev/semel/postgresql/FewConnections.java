package dev.semel.postgresql;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.Semaphore;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** The least of a connection pool that a test needs: a few connections, which come back when they are closed. */
class FewConnections implements DataSource {

    private final DataSource source;
    private final Semaphore places;
    private final LinkedBlockingDeque<Connection> idle = new LinkedBlockingDeque<>();

    FewConnections(DataSource source, int number) {
        this.source = source;
        this.places = new Semaphore(number);
    }

    @Override
    public Connection getConnection() throws SQLException {
        places.acquireUninterruptibly();
        Connection real = connected();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        idle.addFirst(real);
                        places.release();
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Connection connected() throws SQLException {
        try {
            Connection known = idle.pollFirst();
            return known != null && !known.isClosed() ? known : source.getConnection();
        } catch (SQLException e) {
            places.release();
            throw e;
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLException("not here");
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("not here");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
