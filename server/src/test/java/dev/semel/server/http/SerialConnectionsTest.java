package dev.semel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread at a time looks for requests on a connection, also when the library lets in a second one. */
@Timeout(60)
class SerialConnectionsTest {

    /** A connection without a network, on which every look for more bytes waits until it is let go. */
    private static final class HeldEndPoint extends ByteArrayEndPoint {

        private final CountDownLatch letGo = new CountDownLatch(1);
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @Override
        public int fill(ByteBuffer buffer) throws IOException {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                assertThat(letGo.await(30, TimeUnit.SECONDS)).isTrue();
                return super.fill(buffer);
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                inside.decrementAndGet();
            }
        }
    }

    @Test
    void aSecondThreadWaitsUntilTheFirstHasLeft() throws InterruptedException {
        ServerConnector connector = new ServerConnector(new Server());
        HeldEndPoint endPoint = new HeldEndPoint();
        ConnectionFactory factory =
                HttpListener.factories(ListenerSettings.plain("127.0.0.1", 0)).getFirst();
        HttpConnection connection = (HttpConnection) factory.newConnection(connector, endPoint);
        endPoint.setConnection(connection);
        endPoint.addInputEOF();

        Thread first = Thread.ofPlatform().start(connection);
        Awaitility.await().until(() -> endPoint.inside.get() == 1);
        Thread second = Thread.ofPlatform().start(connection);
        Awaitility.await()
                .until(() ->
                        second.getState() == Thread.State.WAITING || second.getState() == Thread.State.TIMED_WAITING);

        assertThat(endPoint.inside).hasValue(1);
        endPoint.letGo.countDown();
        first.join();
        second.join();
        assertThat(endPoint.most).hasValue(1);
    }
}
