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

/** A clock that stands still until somebody moves it. Safe for use by many threads, and by many processes if it is shared. */
public final class ManualClock implements InstantSource {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    /** Where the time is kept. */
    private interface Cell {

        Instant get();

        Instant update(UnaryOperator<Instant> change);
    }

    private final Cell now;
    private final @Nullable Path file;

    /** Makes a clock that shows the beginning of 2026. */
    public ManualClock() {
        this(BEGIN);
    }

    /**
     * Makes a clock.
     *
     * @param start what it shows at first
     */
    public ManualClock(Instant start) {
        this(new InMemory(start), null);
    }

    private ManualClock(Cell now, @Nullable Path file) {
        this.now = now;
        this.file = file;
    }

    /**
     * Opens a clock that all processes share that open the same file. It goes by milliseconds, and shows the beginning of 2026 at
     * first.
     *
     * @param file its file, which is made if it is not there
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
     * The file of a shared clock.
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
     * Sets the clock, also back.
     *
     * @param time what it shows from now on
     */
    public void set(Instant time) {
        Instant unused = now.update(before -> time);
    }

    /**
     * Lets time pass.
     *
     * @param duration how much; negative to turn the clock back
     * @return what it shows from now on
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

    /** The milliseconds since the beginning, in memory that processes share. */
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
