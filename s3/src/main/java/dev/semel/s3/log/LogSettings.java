package dev.semel.s3.log;

import dev.semel.sqlite.time.Uptime;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * How a store on a log behaves.
 *
 * @param directory where replicas are kept between runs
 * @param elapsed what measures how much time has passed since an arbitrary moment
 * @param random what makes marks; outside of tests a secure one
 * @param idleLook how often an idle process with a listener looks for a new entry
 * @param snapshotEntries after how many entries a snapshot is taken
 * @param shortestLease the shortest lease of a claim
 */
public record LogSettings(
        Path directory,
        InstantSource elapsed,
        RandomGenerator random,
        Duration idleLook,
        int snapshotEntries,
        Duration shortestLease) {

    // An entry may have to wait for those of other processes, and the service tells its time in seconds.
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(10);

    /** Checks each setting. */
    public LogSettings {
        Limits.notNull("directory", directory);
        Limits.notNull("measure of elapsed time", elapsed);
        Limits.notNull("source of randomness", random);
        Limits.positive("time between two looks", idleLook);
        Limits.duration("shortest lease", shortestLease);
        if (snapshotEntries < 1) {
            throw new InvalidInput("A snapshot is taken after one entry or more, but got \"" + snapshotEntries + "\".");
        }
    }

    /**
     * The directory {@code semel/replicas} of the user's caches ({@code XDG_CACHE_HOME}, or {@code .cache} in the home directory), the machine's uptime, a look every two seconds, a snapshot after 1,000
     * entries, leases of 10 s or more.
     *
     * @return the settings
     */
    public static LogSettings standard() {
        Uptime uptime = new Uptime(null);
        return new LogSettings(
                // Not among temporary files, where another user could create it first.
                caches().resolve("semel").resolve("replicas"),
                () -> Instant.ofEpochMilli(uptime.millis()),
                new SecureRandom(),
                Duration.ofSeconds(2),
                1_000,
                SHORTEST_LEASE);
    }

    private static Path caches() {
        String named = System.getenv("XDG_CACHE_HOME");
        return named == null || named.isBlank()
                ? Path.of(System.getProperty("user.home", "."), ".cache")
                : Path.of(named);
    }

    /**
     * These settings with another directory.
     *
     * @param newDirectory where replicas are kept
     * @return new settings
     */
    public LogSettings withDirectory(Path newDirectory) {
        return new LogSettings(newDirectory, elapsed, random, idleLook, snapshotEntries, shortestLease);
    }

    /**
     * These settings with another measure of elapsed time, for tests that move a clock by hand.
     *
     * @param newElapsed the measure
     * @return new settings
     */
    public LogSettings withElapsed(InstantSource newElapsed) {
        return new LogSettings(directory, newElapsed, random, idleLook, snapshotEntries, shortestLease);
    }

    /**
     * These settings with another source of randomness, for tests with a seed.
     *
     * @param newRandom the source; it must be safe for several threads
     * @return new settings
     */
    public LogSettings withRandom(RandomGenerator newRandom) {
        return new LogSettings(directory, elapsed, newRandom, idleLook, snapshotEntries, shortestLease);
    }

    /**
     * These settings with another number of entries between snapshots.
     *
     * @param entries after how many entries a snapshot is taken
     * @return new settings
     */
    public LogSettings withSnapshotEntries(int entries) {
        return new LogSettings(directory, elapsed, random, idleLook, entries, shortestLease);
    }

    /**
     * These settings with another shortest lease, for tests that move a clock by hand.
     *
     * @param lease the shortest lease of a claim
     * @return new settings
     */
    public LogSettings withShortestLease(Duration lease) {
        return new LogSettings(directory, elapsed, random, idleLook, snapshotEntries, lease);
    }
}
