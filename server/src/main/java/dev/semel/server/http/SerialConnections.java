package dev.semel.server.http;

import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * Makes connections on which one thread at a time looks for requests.
 *
 * <p>Jetty 12.1.13 lets in a second one: a request that cannot be parsed is answered by another thread, and when the answer is written, a
 * third one continues on the connection, though the thread that parsed may still be in the same method. Both use and release the same
 * buffer then. With this lock the later one waits until the earlier one has left, which it does without waiting for anything.
 */
final class SerialConnections extends HttpConnectionFactory {

    SerialConnections(HttpConfiguration settings) {
        super(settings);
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        HttpConnection connection = new SerialConnection(getHttpConfiguration(), connector, endPoint);
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, endPoint);
    }

    private static final class SerialConnection extends HttpConnection {

        private final ReentrantLock lock = new ReentrantLock();

        SerialConnection(HttpConfiguration settings, Connector connector, EndPoint endPoint) {
            super(settings, connector, endPoint);
        }

        @Override
        public void onFillable() {
            lock.lock();
            try {
                super.onFillable();
            } finally {
                lock.unlock();
            }
        }
    }
}
