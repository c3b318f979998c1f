package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.testservers.PostgresServer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Whoever is refused is told why in the words of the server, and not that a pool has waited. */
class PostgresRefusedTest {

    @Test
    void aDatabaseThatIsNotThereIsNamed() {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        assertThatThrownBy(() -> PostgresTaskStore.open(url(database, "postgres", "nothing")))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("3D000")
                .hasMessageContaining("\"nothing\" does not exist")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aUserWhoMayNotConnectIsNamed() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        String user = "stranger_of_" + database.getDatabaseName();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + user + " NOLOGIN");
        }
        assertThatThrownBy(() -> PostgresTaskStore.open(url(database, user, database.getDatabaseName())))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("28000")
                .hasMessageContaining(user)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aMissingPoolIsReportedWithTheDependencyToAdd() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("HikariCP"))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        PostgresWithoutPool.class.getName())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("com.zaxxer:HikariCP")
                .doesNotContain("NoClassDefFoundError");
    }

    @Test
    @Timeout(60)
    void anUnknownHostIsReportedAtOnce() {
        assertThatThrownBy(() -> PostgresTaskStore.open("postgresql://me:secret@no-such-host.invalid/app"))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("its host is unknown")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aMissingPasswordIsReportedAtOnce() throws Exception {
        // A server that asks for a password, and nothing more.
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread answering = Thread.ofPlatform().daemon().start(() -> {
                while (!server.isClosed()) {
                    try (Socket client = server.accept()) {
                        askForPassword(client);
                    } catch (IOException expected) {
                        // the driver has read enough, or the test is over
                    }
                }
            });
            assertThatThrownBy(
                            () -> PostgresTaskStore.open("postgresql://me@127.0.0.1:" + server.getLocalPort() + "/app"))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("password")
                    .hasMessageNotContaining("did not answer");
            server.close();
            answering.join();
        }
    }

    private static void askForPassword(Socket client) throws IOException {
        DataInputStream in = new DataInputStream(client.getInputStream());
        DataOutputStream out = new DataOutputStream(client.getOutputStream());
        for (boolean started = false; !started; ) {
            int length = in.readInt();
            int kind = in.readInt();
            in.readNBytes(length - 8);
            started = kind >>> 16 == 3; // what comes before asks for encryption
            if (!started) {
                out.writeByte('N');
            }
        }
        out.writeByte('R');
        out.writeInt(8);
        out.writeInt(3); // in clear text
        out.flush();
        int unused = in.read();
    }

    private static String url(PGSimpleDataSource database, String user, String name) {
        return "postgresql://" + user + ":secret@127.0.0.1:" + database.getPortNumbers()[0] + "/" + name;
    }
}
