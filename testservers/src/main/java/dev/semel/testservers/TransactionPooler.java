package dev.semel.testservers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pooler in transaction mode between programs and a PostgreSQL server, like PgBouncer: many clients share a few
 * connections to the server, and each transaction of a client runs on a connection that is free at that moment. The
 * connections are used in turn, so that the next transaction of a client almost always runs on a different one.
 *
 * <p>It supports the part of the wire protocol that the JDBC driver uses, without encryption and passwords. A client
 * gets a process id that the pooler invents, as with PgBouncer, because no single server process belongs to it.
 */
public final class TransactionPooler implements AutoCloseable {

    /** What the pooler knows about prepared statements. */
    public enum Statements {
        /** Nothing: it passes the names of statements to the server unchanged, like PgBouncer before version 1.21. */
        UNKNOWN,
        /**
         * Which client has prepared which statement: it prepares the statement on each connection that needs it, like
         * PgBouncer from version 1.21 on.
         */
        TRACKED
    }

    private static final int CANCEL = 80_877_102;
    private static final int SSL = 80_877_103;
    private static final int GSS = 80_877_104;

    private final PGSimpleDataSource server;
    private final ServerSocket listening;
    private final BlockingQueue<PooledConnection> free = new LinkedBlockingQueue<>();
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger clients = new AtomicInteger();
    private volatile Statements statements;
    private volatile boolean closed;

    /**
     * Starts a pooler.
     *
     * @param server the database, whose user needs no password
     * @param connections how many connections to the server the clients share
     * @param statements what the pooler knows about prepared statements
     */
    public TransactionPooler(PGSimpleDataSource server, int connections, Statements statements) {
        this.server = server;
        this.statements = statements;
        try {
            for (int i = 0; i < connections; i++) {
                connect();
            }
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("test-pooler").start(this::accept);
    }

    /**
     * Returns the database behind the pooler.
     *
     * @return a source of connections; not a pool
     */
    public PGSimpleDataSource database() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {listening.getLocalPort()});
        source.setUser(server.getUser());
        source.setDatabaseName(server.getDatabaseName());
        return source;
    }

    /**
     * Changes what the pooler knows about prepared statements, as a reload of its configuration does.
     *
     * @param changed what it knows afterwards
     */
    public void reload(Statements changed) {
        statements = changed;
    }

    private void connect() throws IOException {
        PooledConnection connection = new PooledConnection(server);
        open.add(connection::close);
        free.add(connection);
    }

    private void accept() {
        while (!closed) {
            try {
                Socket socket = listening.accept();
                open.add(socket);
                Thread.ofPlatform().daemon().name("test-pooler-client").start(() -> serve(socket));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            Client client = new Client(socket, clients.incrementAndGet());
            if (client.greet()) {
                client.serve();
            }
        } catch (IOException e) {
            return; // the client has disconnected, or the pooler is closed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            listening.close();
            for (Closeable each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A program that uses the pooler, served by one thread. */
    private final class Client {

        private final DataInputStream in;
        private final DataOutputStream out;
        private final int number;
        private final PooledStatements prepared;

        Client(Socket socket, int number) throws IOException {
            this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
            this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
            this.number = number;
            this.prepared = new PooledStatements(number);
        }

        /** Answers the start of a connection; returns false if it was only a cancel request. */
        boolean greet() throws IOException, InterruptedException {
            int code = start();
            while (code == SSL || code == GSS) {
                out.writeByte('N');
                out.flush();
                code = start();
            }
            if (code == CANCEL) {
                return false;
            }
            PooledConnection any = free.take();
            free.add(any);
            new PoolMessage('R', new byte[Integer.BYTES]).write(out);
            for (PoolMessage parameter : any.parameters()) {
                parameter.write(out);
            }
            // No process of the server has a negative id.
            ByteBuffer key =
                    ByteBuffer.allocate(2 * Integer.BYTES).putInt(-number).putInt(number);
            new PoolMessage('K', key.array()).write(out);
            new PoolMessage('Z', new byte[] {'I'}).write(out);
            out.flush();
            return true;
        }

        private int start() throws IOException {
            byte[] packet = in.readNBytes(in.readInt() - Integer.BYTES);
            return ByteBuffer.wrap(packet).getInt();
        }

        void serve() throws IOException, InterruptedException {
            PooledConnection held = null;
            try {
                for (List<PoolMessage> request = request(); request != null; request = request()) {
                    if (held == null) {
                        held = free.take();
                    }
                    if (exchange(held, request)) {
                        free.add(held);
                        held = null;
                    }
                }
            } finally {
                if (held != null && !closed) {
                    // A transaction was still open; closing its connection ends it.
                    held.close();
                    connect();
                }
            }
        }

        /** Reads all messages until the client waits for an answer; returns null if the client disconnects. */
        private @Nullable List<PoolMessage> request() throws IOException {
            List<PoolMessage> messages = new ArrayList<>();
            while (true) {
                PoolMessage next = PoolMessage.read(in);
                messages.add(next);
                switch (next.kind()) {
                    case 'X' -> {
                        return null;
                    }
                    case 'S', 'Q', 'F', 'c', 'f' -> {
                        return messages;
                    }
                    default -> {} // more follows
                }
            }
        }

        /** Sends a request and passes the answer on; returns whether it ended the transaction. */
        private boolean exchange(PooledConnection connection, List<PoolMessage> request) throws IOException {
            boolean tracked = statements == Statements.TRACKED;
            connection.send(tracked ? prepared.translated(request, connection) : request);
            while (true) {
                PoolMessage answer = connection.read();
                if (!tracked || connection.isVisible(answer)) {
                    answer.write(out);
                }
                if (answer.kind() == 'Z' || answer.kind() == 'G') {
                    out.flush();
                    return answer.kind() == 'Z' && answer.body()[0] == 'I';
                }
            }
        }
    }
}
