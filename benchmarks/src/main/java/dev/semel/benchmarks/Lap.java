package dev.semel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * The duration of some work. The processor time is that of the whole process, including the compiler and the garbage
 * collector, but not that of a database server. On a shared machine it is more meaningful than the wall-clock time.
 *
 * @param nanos wall-clock time
 * @param processorNanos processor time of all cores together
 * @param logged the number of bytes that the storage wrote to its log meanwhile; 0 if they are not counted
 */
public record Lap(long nanos, long processorNanos, long logged) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** The start of a lap. */
    public static final class Begun {

        private final LongSupplier log;
        private final long logged;
        private final long processorNanos;
        private final long nanos;

        private Begun(LongSupplier log) {
            this.log = log;
            // The position of the log is read outside the lap, before its start and after its end.
            this.logged = log.getAsLong();
            this.processorNanos = SYSTEM.getProcessCpuTime();
            this.nanos = System.nanoTime();
        }

        /**
         * Ends the lap.
         *
         * @return the lap since this moment
         */
        public Lap end() {
            long took = System.nanoTime() - nanos;
            long processor = SYSTEM.getProcessCpuTime() - processorNanos;
            return new Lap(took, processor, log.getAsLong() - logged);
        }
    }

    /**
     * Begins a lap on a storage without a log.
     *
     * @return the start of the lap
     */
    public static Begun begin() {
        return begin(() -> 0);
    }

    /**
     * Begins a lap.
     *
     * @param log returns the number of bytes that the storage has written to its log
     * @return the start of the lap
     */
    public static Begun begin(LongSupplier log) {
        return new Begun(log);
    }

    Lap plus(Lap other) {
        return new Lap(nanos + other.nanos, processorNanos + other.processorNanos, logged + other.logged);
    }

    /**
     * Returns the rate.
     *
     * @param number the number of operations
     * @return operations per second
     */
    public double perSecond(int number) {
        return number * 1e9 / nanos;
    }

    double processorMicrosPer(int number) {
        return processorNanos / 1e3 / number;
    }

    /**
     * Returns what each operation wrote to the log.
     *
     * @param number the number of operations
     * @return bytes
     */
    public double loggedPer(int number) {
        return logged / (double) number;
    }
}
