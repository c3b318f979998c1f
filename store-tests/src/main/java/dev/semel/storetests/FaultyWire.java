package dev.semel.storetests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bad network between a client and a server on this machine: a port that passes everything on to the server's, until it is
 * instructed otherwise. It knows no protocol, only which side sent last: what a client sends after the server is a <em>request</em>,
 * and what the server sends after the client spoke is a <em>reply</em>.
 *
 * <p>Lasting troubles ({@link #refuse}, {@link #silence}, {@link #delay}, {@link #throttle}) hold until {@link #heal}. One
 * single fault at a time can be planned ({@link #loseReply}, {@link #loseReplyWith}, {@link #cutRequest}); planning another
 * one replaces it. A connection that is cut ends with a reset on both sides, and what was under way is lost.
 *
 * <p>Safe for use by many threads. It listens on the loopback address alone, works on threads of its own, and leaves nothing
 * behind when closed.
 */
public final class FaultyWire implements AutoCloseable {

    private static final int PIECE = 8 * 1024;
    private static final int CONNECT_MILLIS = 10_000;

    /** The single fault that is to happen; its counts are those of the wire when it does. */
    private sealed interface Plan {
        record LoseReply(long at) implements Plan {}

        record LoseReplyWith(String text, long since) implements Plan {}

        record CutRequest(long at) implements Plan {}
    }

    private final InetSocketAddress server;
    private final ServerSocket door;
    private final Thread doorkeeper;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // All of this under the lock.
    private final Set<Link> links = new HashSet<>();
    private boolean closed;
    private boolean refusing;
    private boolean silent;
    private long delayNanos;
    private long bytesPerSecond;
    private long requests;
    private long replies;
    private @Nullable Plan plan;

    private FaultyWire(InetSocketAddress server, ServerSocket door) {
        this.server = server;
        this.door = door;
        this.doorkeeper = Thread.ofPlatform().daemon().name("faulty-wire-door").unstarted(this::acceptAll);
    }

    /**
     * Opens a wire to a server on this machine.
     *
     * @param port the server's port
     * @return the wire; close it when done
     */
    public static FaultyWire to(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try {
            FaultyWire wire = new FaultyWire(new InetSocketAddress(loopback, port), new ServerSocket(0, 200, loopback));
            wire.doorkeeper.start();
            return wire;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The port that a client connects to instead of the server's.
     *
     * @return the port, on the loopback address
     */
    public int port() {
        return door.getLocalPort();
    }

    /** Cuts all connections that there are; new ones are passed on as before. */
    public void cut() {
        Set<Link> all;
        lock.lock();
        try {
            all = Set.copyOf(links);
        } finally {
            lock.unlock();
        }
        all.forEach(Link::cut);
    }

    /** From now on new connections are reset at once; those that there are stay. */
    public void refuse() {
        set(() -> refusing = true);
    }

    /**
     * From now on nothing is passed on, without an error: connections stay open, new ones are accepted, and both sides wait
     * in vain. What is sent meanwhile is kept and passed on by {@link #heal}, as a network does that was away for a while.
     */
    public void silence() {
        set(() -> silent = true);
    }

    /**
     * Forgets all connections that there are, as a firewall or a server that lost its power does: they stay open, nothing is
     * passed on in them ever again, without an error. New ones are passed on as before.
     */
    public void forget() {
        set(() -> links.forEach(link -> link.forgotten = true));
    }

    /**
     * From now on every piece of up to 8 KiB arrives later, in both directions, one piece after the other.
     *
     * @param time how much later
     */
    public void delay(Duration time) {
        set(() -> delayNanos = time.toNanos());
    }

    /**
     * From now on each direction of each connection passes on no more than this.
     *
     * @param bytes how many bytes in a second, at least 1
     */
    public void throttle(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("A wire passes on at least 1 byte in a second, but got " + bytes);
        }
        set(() -> bytesPerSecond = bytes);
    }

    /**
     * Plans that a reply is lost: the server has done what it was asked, its reply is dropped, and its connection is cut.
     *
     * @param number which one, counted over all connections; 1 is the next one
     */
    public void loseReply(int number) {
        set(() -> plan = new Plan.LoseReply(replies + number));
    }

    /**
     * Plans that the next reply is lost in which a text occurs: what precedes the text may have arrived, the piece that
     * ends it is dropped, and the connection is cut. {@code "COMMIT\0"}, for example, is how PostgreSQL confirms a commit.
     *
     * @param text the text, in ASCII
     */
    public void loseReplyWith(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("A reply is found by a text, but got none");
        }
        set(() -> plan = new Plan.LoseReplyWith(text, replies));
    }

    /**
     * Plans that a request never reaches the server: it is dropped and its connection is cut.
     *
     * @param number which one, counted over all connections; 1 is the next one
     */
    public void cutRequest(int number) {
        set(() -> plan = new Plan.CutRequest(requests + number));
    }

    /**
     * Whether a planned fault has not happened yet.
     *
     * @return true if it has not happened yet
     */
    public boolean isPlanned() {
        lock.lock();
        try {
            return plan != null;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all troubles and forgets what was planned. What was held back is passed on, except in forgotten connections. */
    public void heal() {
        set(() -> {
            refusing = false;
            silent = false;
            delayNanos = 0;
            bytesPerSecond = 0;
            plan = null;
        });
    }

    /**
     * How many connections there are.
     *
     * @return those that are neither ended nor cut
     */
    public int connections() {
        lock.lock();
        try {
            return links.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * How many requests there were, those that were dropped included.
     *
     * @return their number since the wire was opened
     */
    public long requests() {
        lock.lock();
        try {
            return requests;
        } finally {
            lock.unlock();
        }
    }

    /** Cuts all connections and stops listening: a client that connects afterwards is rejected. */
    @Override
    public void close() {
        set(() -> closed = true);
        end(door);
        cut();
        awaitDoorkeeper();
    }

    /** The system closes a port only when no thread waits at it any more, and accepts connections until then. */
    private void awaitDoorkeeper() {
        boolean interrupted = false;
        while (doorkeeper.isAlive()) {
            try {
                doorkeeper.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void set(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void acceptAll() {
        while (!door.isClosed()) {
            try {
                accept(door.accept());
            } catch (IOException e) {
                // Closed, or a client that disconnected before it was accepted.
            }
        }
    }

    private void accept(Socket client) {
        Link link = new Link(client);
        lock.lock();
        try {
            if (!closed && !refusing) {
                links.add(link);
                thread("connect", link::connect);
                return;
            }
        } finally {
            lock.unlock();
        }
        link.cut();
    }

    private static void thread(String what, Runnable work) {
        Thread.ofPlatform().daemon().name("faulty-wire-" + what).start(work);
    }

    private static void end(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // It is of no more use, and that is what was wanted.
            return;
        }
    }

    /** One connection of a client, and the one to the server that belongs to it. */
    private final class Link {

        private final Socket client;
        private final Socket upstream = new Socket();
        // Under the lock of the wire.
        private boolean over;
        private boolean forgotten;
        private boolean clientSpokeLast;
        private int ended;

        Link(Socket client) {
            this.client = client;
        }

        void connect() {
            try {
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                if (awaitPassage(0)) {
                    upstream.connect(server, CONNECT_MILLIS);
                    thread("requests", () -> pump(client, upstream, null));
                    pump(upstream, client, new Matcher());
                }
            } catch (IOException e) {
                cut();
            }
        }

        /** Passes on what one side sends; with a matcher if that is the server. */
        private void pump(Socket from, Socket to, @Nullable Matcher matcher) {
            byte[] piece = new byte[PIECE];
            try {
                int length = from.getInputStream().read(piece);
                while (length >= 0) {
                    boolean faulty = matcher == null ? requested() : replied(matcher, piece, length);
                    if (faulty || !awaitPassage(length)) {
                        cut();
                        return;
                    }
                    to.getOutputStream().write(piece, 0, length);
                    length = from.getInputStream().read(piece);
                }
                if (awaitPassage(0)) {
                    to.shutdownOutput();
                }
                endedOne();
            } catch (IOException e) {
                cut();
            }
        }

        /** Counts, and returns whether this request is to be dropped. */
        private boolean requested() {
            lock.lock();
            try {
                if (clientSpokeLast) {
                    return false;
                }
                clientSpokeLast = true;
                requests++;
                return happens(plan instanceof Plan.CutRequest cut && cut.at() <= requests);
            } finally {
                lock.unlock();
            }
        }

        /** Counts, and returns whether this reply is to be dropped. */
        private boolean replied(Matcher matcher, byte[] piece, int length) {
            lock.lock();
            try {
                if (clientSpokeLast) {
                    clientSpokeLast = false;
                    replies++;
                    if (happens(plan instanceof Plan.LoseReply lose && lose.at() <= replies)) {
                        return true;
                    }
                }
                return plan instanceof Plan.LoseReplyWith lose && happens(matcher.ends(lose, piece, length));
            } finally {
                lock.unlock();
            }
        }

        private boolean happens(boolean now) {
            if (now) {
                plan = null;
            }
            return now;
        }

        /** Waits for as long as the wire holds a piece back; false if the connection is over meanwhile. */
        private boolean awaitPassage(int length) {
            long begun = System.nanoTime();
            lock.lock();
            try {
                while (!over && !closed) {
                    long needed = delayNanos
                            + (bytesPerSecond == 0 ? 0 : length * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
                    long left = begun + needed - System.nanoTime();
                    if (silent || forgotten) {
                        changed.await();
                    } else if (left > 0 && length > 0) {
                        long unused = changed.awaitNanos(left);
                    } else {
                        return true;
                    }
                }
                return false;
            } catch (InterruptedException e) {
                return false; // these threads are never interrupted
            } finally {
                lock.unlock();
            }
        }

        private void endedOne() {
            lock.lock();
            try {
                ended++;
                if (ended < 2) {
                    return;
                }
                over = true;
                links.remove(this);
            } finally {
                lock.unlock();
            }
            end(client);
            end(upstream);
        }

        void cut() {
            lock.lock();
            try {
                over = true;
                links.remove(this);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            reset(client);
            reset(upstream);
        }

        /** Closes without a farewell: the other side gets a reset instead of an end. */
        private static void reset(Socket socket) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                // closed already
            }
            end(socket);
        }
    }

    /** Finds a text in a stream that arrives in pieces. */
    private static final class Matcher {

        private Plan.@Nullable LoseReplyWith sought;
        private String before = "";

        /** Whether the text ends in this piece. */
        boolean ends(Plan.LoseReplyWith plan, byte[] piece, int length) {
            if (!plan.equals(sought)) {
                sought = plan;
                before = "";
            }
            String all = before + new String(piece, 0, length, StandardCharsets.ISO_8859_1);
            before = all.substring(Math.max(0, all.length() - plan.text().length() + 1));
            return all.contains(plan.text());
        }
    }
}
