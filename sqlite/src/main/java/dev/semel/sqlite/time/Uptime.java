package dev.semel.sqlite.time;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time that has passed, whatever the clock shows.
 *
 * <p>On Linux it is the uptime of the machine. All processes on the machine share it, and it counts the time that the machine
 * slept, which {@link System#nanoTime} does not. Elsewhere it is {@link System#nanoTime}, which means nothing to other
 * processes.
 */
public final class Uptime {

    private static final Logger LOG = LoggerFactory.getLogger(Uptime.class);

    // Between two reads of the system's file, which has a resolution of 10 ms, nanoTime counts on.
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String GIVEN = "given";

    private final @Nullable InstantSource given;
    private final String boot;
    private long lookedAt;
    private long millisThen;

    public Uptime(@Nullable InstantSource given) {
        this.given = given;
        String found = "";
        if (given == null) {
            try {
                millisThen = machineMillis();
                found = Files.readString(BOOT).strip();
            } catch (IOException | NumberFormatException e) {
                LOG.debug("Uptime not available", e);
            }
        }
        boot = given != null ? GIVEN : found;
        lookedAt = System.nanoTime();
    }

    /** Names the boot of the machine that the uptime counts from; empty if it means nothing to another process. */
    public String boot() {
        return boot;
    }

    public synchronized long millis() {
        if (given != null) {
            return given.millis();
        }
        long since = System.nanoTime() - lookedAt;
        if (since > LOOK_NANOS && !boot.isEmpty()) {
            try {
                // At least what was counted before: the file's resolution must not turn the time back.
                millisThen = Math.max(millisThen + since / 1_000_000, machineMillis());
                lookedAt += since;
                return millisThen;
            } catch (IOException | NumberFormatException e) {
                LOG.debug("Uptime no longer available", e);
            }
        }
        return millisThen + since / 1_000_000;
    }

    private static long machineMillis() throws IOException {
        String text = Files.readString(UPTIME);
        return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1_000);
    }
}
