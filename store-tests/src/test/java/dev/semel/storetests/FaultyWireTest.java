package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultyWireTest {

    private Echo server;
    private FaultyWire wire;

    @BeforeEach
    void open() throws IOException {
        server = new Echo();
        wire = FaultyWire.to(server.port());
    }

    @AfterEach
    void close() throws IOException {
        wire.close();
        server.close();
    }

    @Test
    void whatIsSentArrivesAndTheReplyComesBack() throws Exception {
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            assertThat(client.ask("two")).isEqualTo("two");
            assertThat(wire.requests()).isEqualTo(2);
            assertThat(wire.connections()).isEqualTo(1);
        }
        String large = "x".repeat(1_000_000);
        try (Client client = new Client()) {
            assertThat(client.ask(large)).isEqualTo(large);
        }
    }

    @Test
    void theEndOfAConnectionIsPassedOn() throws Exception {
        try (Client client = new Client()) {
            assertThat(client.ask("one")).isEqualTo("one");
            client.socket.shutdownOutput();
            assertThat(client.socket.getInputStream().read()).isEqualTo(-1);
        }
        try (Client client = new Client()) {
            assertThat(client.ask("two")).isEqualTo("two");
            server.endAll();
            assertThat(client.socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aCutEndsAllConnectionsAndNewOnesWork() throws Exception {
        try (Client first = new Client();
                Client second = new Client()) {
            first.ask("one");
            second.ask("one");
            wire.cut();
            assertCut(first);
            assertCut(second);
            assertThat(wire.connections()).isZero();
        }
        try (Client third = new Client()) {
            assertThat(third.ask("three")).isEqualTo("three");
        }
    }

    @Test
    void newConnectionsAreRefusedUntilItIsHealed() throws Exception {
        try (Client old = new Client()) {
            old.ask("one");
            wire.refuse();
            try (Client refused = new Client()) {
                assertCut(refused);
            }
            assertThat(old.ask("two")).isEqualTo("two");
            wire.heal();
            try (Client again = new Client()) {
                assertThat(again.ask("three")).isEqualTo("three");
            }
        }
    }

    @Test
    void aLostReplyWasDoneByTheServerAndNeverComes() throws Exception {
        try (Client client = new Client();
                Client other = new Client()) {
            client.ask("one");
            wire.loseReply(2);
            assertThat(client.ask("two")).isEqualTo("two");
            assertThat(wire.isPlanned()).isTrue();
            client.send("three");
            assertCut(client);
            assertThat(server.received()).isEqualTo("one");
            assertThat(server.received()).isEqualTo("two");
            assertThat(server.received()).isEqualTo("three");
            assertThat(wire.isPlanned()).isFalse();
            assertThat(other.ask("four")).isEqualTo("four");
        }
    }

    @Test
    void aReplyIsLostByItsTextAlsoIfThatComesInPieces() throws Exception {
        try (Client client = new Client()) {
            wire.loseReplyWith("COMMIT\0");
            assertThat(client.ask("BEGIN\0")).isEqualTo("BEGIN\0");
            assertThat(client.ask("COMMIT")).isEqualTo("COMMIT");
            client.send("\0");
            assertCut(client);
            assertThat(wire.isPlanned()).isFalse();
        }
        try (Client client = new Client()) {
            assertThat(client.ask("COMMIT\0")).isEqualTo("COMMIT\0");
        }
    }

    @Test
    void whatAnEarlierPlanSawDoesNotCountForTheNext() throws Exception {
        try (Client client = new Client()) {
            wire.loseReplyWith("AB");
            assertThat(client.ask("A")).isEqualTo("A");
            wire.loseReplyWith("AB");
            assertThat(client.ask("B")).isEqualTo("B");
            assertThat(wire.isPlanned()).isTrue();
        }
    }

    @Test
    void aRequestThatIsCutNeverReachesTheServer() throws Exception {
        try (Client client = new Client()) {
            client.ask("one");
            wire.cutRequest(2);
            assertThat(client.ask("two")).isEqualTo("two");
            client.send("three");
            assertCut(client);
        }
        try (Client client = new Client()) {
            client.ask("four");
        }
        assertThat(server.received()).isEqualTo("one");
        assertThat(server.received()).isEqualTo("two");
        assertThat(server.received()).isEqualTo("four");
    }

    @Test
    void inSilenceNothingIsAnsweredAndAfterwardsEverything() throws Exception {
        try (Client old = new Client()) {
            old.ask("one");
            wire.silence();
            try (Client late = new Client()) {
                old.send("two");
                late.send("three");
                old.socket.setSoTimeout(100);
                assertThatThrownBy(() -> old.receive(3)).isInstanceOf(SocketTimeoutException.class);
                assertThat(server.seen).containsExactly("one");
                wire.heal();
                old.socket.setSoTimeout(30_000);
                assertThat(old.receive(3)).isEqualTo("two");
                assertThat(late.receive(5)).isEqualTo("three");
            }
        }
    }

    @Test
    void aForgottenConnectionIsSilentForEverAndNewOnesWork() throws Exception {
        try (Client old = new Client()) {
            old.ask("one");
            wire.forget();
            wire.heal();
            old.send("two");
            try (Client next = new Client()) {
                assertThat(next.ask("three")).isEqualTo("three");
            }
            old.socket.setSoTimeout(100);
            assertThatThrownBy(() -> old.receive(3)).isInstanceOf(SocketTimeoutException.class);
            assertThat(server.seen).containsExactly("one", "three");
            wire.cut();
            assertCut(old);
        }
    }

    @Test
    void aConnectionCanBeCutInSilence() throws Exception {
        try (Client client = new Client()) {
            client.ask("one");
            wire.silence();
            client.send("two");
            wire.cut();
            assertCut(client);
        }
    }

    @Test
    void aDelayHoldsInBothDirectionsAndHealingEndsItAtOnce() throws Exception {
        try (Client client = new Client()) {
            client.ask("one");
            wire.delay(Duration.ofMillis(100));
            long begun = System.nanoTime();
            assertThat(client.ask("two")).isEqualTo("two");
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
            wire.delay(Duration.ofHours(1));
            client.send("three");
            wire.heal();
            assertThat(client.receive(5)).isEqualTo("three");
        }
    }

    @Test
    void aThrottleLetsThroughSoMuchInASecond() throws Exception {
        try (Client client = new Client()) {
            client.ask("one");
            wire.throttle(100_000);
            long begun = System.nanoTime();
            String large = "x".repeat(20_000);
            assertThat(client.ask(large)).isEqualTo(large);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        }
        assertThatThrownBy(() -> wire.throttle(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aServerThatIsNotThereIsAConnectionThatIsCut() throws Exception {
        server.close();
        try (Client client = new Client()) {
            assertCut(client);
        }
        assertThat(wire.connections()).isZero();
    }

    @Test
    void closedItLeavesNoConnectionAndNoThread() throws Exception {
        Client client = new Client();
        client.ask("one");
        Client held = new Client();
        wire.silence();
        held.send("two");
        wire.close();
        assertCut(client);
        assertCut(held);
        assertThatThrownBy(Client::new).isInstanceOf(IOException.class);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("faulty-wire-")) {
                thread.join();
            }
        }
    }

    private static void assertCut(Client client) {
        assertThatThrownBy(() -> {
                    if (client.socket.getInputStream().read() < 0) {
                        throw new AssertionError("It ended, but was not cut");
                    }
                })
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(SocketTimeoutException.class);
    }

    /** Asks and waits for the echo. */
    private final class Client implements AutoCloseable {

        private final Socket socket;

        Client() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), wire.port());
            socket.setSoTimeout(30_000);
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        }

        String receive(int length) throws IOException {
            return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
        }

        String ask(String text) throws Exception {
            // A text that is larger than all buffers has to be read while it is sent.
            Thread sending = Thread.ofPlatform().daemon().start(() -> {
                try {
                    send(text);
                } catch (IOException e) {
                    // the reader sees it too
                }
            });
            String answer = receive(text.length());
            sending.join();
            return answer;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Says everything again. */
    private static final class Echo {

        private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
        private final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();

        Echo() throws IOException {
            Thread.ofPlatform().daemon().name("echo-door").start(() -> {
                while (!door.isClosed()) {
                    try {
                        Socket socket = door.accept();
                        sockets.add(socket);
                        Thread.ofPlatform().daemon().name("echo").start(() -> echo(socket));
                    } catch (IOException e) {
                        return;
                    }
                }
            });
        }

        int port() {
            return door.getLocalPort();
        }

        private void echo(Socket socket) {
            byte[] piece = new byte[64 * 1024];
            try (socket) {
                for (int length = socket.getInputStream().read(piece);
                        length >= 0;
                        length = socket.getInputStream().read(piece)) {
                    seen.add(new String(Arrays.copyOf(piece, length), StandardCharsets.US_ASCII));
                    socket.getOutputStream().write(piece, 0, length);
                }
            } catch (IOException e) {
                // cut
            } finally {
                sockets.remove(socket);
            }
        }

        /** Waits for the next thing that arrived. */
        String received() throws InterruptedException {
            return seen.poll(30, TimeUnit.SECONDS);
        }

        void endAll() throws IOException {
            for (Socket socket : sockets) {
                socket.shutdownOutput();
            }
        }

        void close() throws IOException {
            door.close();
        }
    }
}
