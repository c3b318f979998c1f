package dev.semel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * How long something took. The time of the processor is that of the whole process, compiler and collector included; on a
 * machine that is shared it says more than the time on the clock.
 *
 * @param nanos on the clock
 * @param processorNanos of all cores together
 */
record Lap(long nanos, long processorNanos) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** A moment, from which the lap is counted. */
    static Lap begin() {
        return new Lap(System.nanoTime(), SYSTEM.getProcessCpuTime());
    }

    /** The lap since this moment. */
    Lap end() {
        return new Lap(System.nanoTime() - nanos, SYSTEM.getProcessCpuTime() - processorNanos);
    }

    Lap plus(Lap other) {
        return new Lap(nanos + other.nanos, processorNanos + other.processorNanos);
    }

    double perSecond(int number) {
        return number * 1e9 / nanos;
    }

    double processorMicrosPer(int number) {
        return processorNanos / 1e3 / number;
    }
}
