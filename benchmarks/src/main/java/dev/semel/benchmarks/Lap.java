package dev.semel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * How long something took. The time of the processor is that of the whole process, compiler and collector included, but not
 * that of a server beside it; on a machine that is shared it says more than the time on the clock.
 *
 * @param nanos on the clock
 * @param processorNanos of all cores together
 * @param logged how many bytes the storage wrote to its log meanwhile; 0 where that is not counted
 */
public record Lap(long nanos, long processorNanos, long logged) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** A moment, from which the lap is counted. */
    public static final class Begun {

        private final LongSupplier log;
        private final long logged;
        private final long processorNanos;
        private final long nanos;

        private Begun(LongSupplier log) {
            this.log = log;
            // The log is asked outside of the lap, at its beginning and at its end.
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
     * Begins a lap of something that has no log.
     *
     * @return this moment
     */
    public static Begun begin() {
        return begin(() -> 0);
    }

    /**
     * Begins a lap.
     *
     * @param log how many bytes the storage has written to its log until now
     * @return this moment
     */
    public static Begun begin(LongSupplier log) {
        return new Begun(log);
    }

    Lap plus(Lap other) {
        return new Lap(nanos + other.nanos, processorNanos + other.processorNanos, logged + other.logged);
    }

    /**
     * The rate.
     *
     * @param number how many things were done
     * @return how many in a second
     */
    public double perSecond(int number) {
        return number * 1e9 / nanos;
    }

    double processorMicrosPer(int number) {
        return processorNanos / 1e3 / number;
    }

    /**
     * What each of the things wrote to the log.
     *
     * @param number how many things were done
     * @return bytes
     */
    public double loggedPer(int number) {
        return logged / (double) number;
    }
}
