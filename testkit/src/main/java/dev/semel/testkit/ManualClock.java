package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until a test moves it. Safe for use by many threads, and by many processes if it is shared.
 */
public final class ManualClock implements InstantSource {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    /** The storage of the time. */
    private interface Cell {

        Instant get();

        Instant update(UnaryOperator<Instant> change);
    }

    private final Cell now;
    private final @Nullable Path file;

    /** Creates a clock that shows the start of 2026. */
    public ManualClock() {
        this(BEGIN);
    }

    /**
     * Creates a clock.
     *
     * @param start the initial time
     */
    public ManualClock(Instant start) {
        this(new InMemory(start), null);
    }

    private ManualClock(Cell now, @Nullable Path file) {
        this.now = now;
        this.file = file;
    }

    /**
     * Opens a clock that is shared by all processes that open the same file. It has a precision of milliseconds, and
     * initially shows the start of 2026.
     *
     * @param file the clock's file, which is created if it does not exist
     * @return the clock
     */
    public static ManualClock shared(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return new ManualClock(
                    new Mapped(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES)), file.toAbsolutePath());
        } catch (IOException e) {
            throw new UncheckedIOException("The clock's file \"" + file + "\" cannot be opened", e);
        }
    }

    /**
     * Returns the file of a shared clock.
     *
     * @return the file, or null if it is not shared
     */
    public @Nullable Path file() {
        return file;
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    /**
     * Sets the clock, forwards or back.
     *
     * @param time the new time
     */
    public void set(Instant time) {
        Instant unused = now.update(before -> time);
    }

    /**
     * Moves the clock.
     *
     * @param duration how far; negative to set the clock back
     * @return the new time
     */
    public Instant advance(Duration duration) {
        return now.update(time -> time.plus(duration));
    }

    @Override
    public String toString() {
        return "ManualClock[" + now.get() + "]";
    }

    private record InMemory(AtomicReference<Instant> time) implements Cell {

        InMemory(Instant start) {
            this(new AtomicReference<>(start));
        }

        @Override
        public Instant get() {
            return time.get();
        }

        @Override
        public Instant update(UnaryOperator<Instant> change) {
            return time.updateAndGet(change);
        }
    }

    /** The milliseconds since the start, in memory that processes share. */
    private record Mapped(ByteBuffer memory) implements Cell {

        private static final VarHandle MILLIS =
                MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

        @Override
        public Instant get() {
            return BEGIN.plusMillis((long) MILLIS.getVolatile(memory, 0));
        }

        @Override
        public Instant update(UnaryOperator<Instant> change) {
            while (true) {
                long before = (long) MILLIS.getVolatile(memory, 0);
                Instant next = change.apply(BEGIN.plusMillis(before));
                if (MILLIS.compareAndSet(
                        memory, 0, before, Duration.between(BEGIN, next).toMillis())) {
                    return next;
                }
            }
        }
    }
}
