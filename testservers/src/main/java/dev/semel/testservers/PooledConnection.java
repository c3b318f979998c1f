package dev.semel.testservers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.postgresql.ds.PGSimpleDataSource;

/** One of a pooler's connections to the server, used by one client at a time. */
final class PooledConnection implements AutoCloseable {

    private static final int PROTOCOL = 196_608;

    /** A parse message that was sent: the name of its statement, and whether a client waits for its answer. */
    private record Parsing(String name, boolean visible) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final List<PoolMessage> parameters = new ArrayList<>();
    private final Set<String> prepared = new HashSet<>();
    private final Deque<Parsing> parsing = new ArrayDeque<>();

    PooledConnection(PGSimpleDataSource server) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), server.getPortNumbers()[0]);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
        logIn("user\0" + server.getUser() + "\0database\0" + server.getDatabaseName()
                + "\0client_encoding\0UTF8\0DateStyle\0ISO\0TimeZone\0UTC\0extra_float_digits\0002\0\0");
    }

    private void logIn(String settings) throws IOException {
        byte[] bytes = settings.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length + 2 * Integer.BYTES);
        out.writeInt(PROTOCOL);
        out.write(bytes);
        out.flush();
        for (PoolMessage answer = PoolMessage.read(in); answer.kind() != 'Z'; answer = PoolMessage.read(in)) {
            if (answer.kind() == 'E') {
                throw new IOException(
                        "The server refused the login:" + " " + new String(answer.body(), StandardCharsets.UTF_8));
            }
            if (answer.kind() == 'S') {
                parameters.add(answer);
            }
        }
    }

    /** Returns the parameters that the server reports at login. */
    List<PoolMessage> parameters() {
        return parameters;
    }

    void send(List<PoolMessage> messages) throws IOException {
        for (PoolMessage message : messages) {
            message.write(out);
        }
        out.flush();
    }

    /** Waits for the next message of the server. */
    PoolMessage read() throws IOException {
        return PoolMessage.read(in);
    }

    /** Returns whether a statement is prepared, or will be after the messages that were sent. */
    boolean has(String name) {
        return prepared.contains(name)
                || parsing.stream().anyMatch(each -> each.name().equals(name));
    }

    /** Records a parse message; an empty name means the unnamed statement. */
    void noteParsing(String name, boolean visible) {
        parsing.add(new Parsing(name, visible));
    }

    void noteClosing(String name) {
        prepared.remove(name);
    }

    /** Returns whether an answer belongs to one of the client's own messages. */
    boolean isVisible(PoolMessage answer) {
        if (answer.kind() == 'Z') {
            parsing.clear(); // the server skips messages after an error
        }
        if (answer.kind() != '1') {
            return true;
        }
        Parsing done = parsing.remove();
        prepared.add(done.name());
        return done.visible();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
