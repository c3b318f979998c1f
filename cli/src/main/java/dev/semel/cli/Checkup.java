package dev.semel.cli;

import dev.semel.sqlite.SqliteSchema;
import dev.semel.sqlite.SqliteTimeRepair;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The checks of {@code semel doctor}. */
final class Checkup {

    private static final int OLDEST_JDK = 21;
    private static final long LITTLE_SPACE = 1L << 30;
    private static final long NO_SPACE = 64L << 20;
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    // A separate lane, always the same one, because the names of lanes stay in the store.
    private static final String OWN = "semel-doctor";

    private final StoreUrl url;
    private final List<Finding> findings = new ArrayList<>();

    Checkup(StoreUrl url) {
        this.url = url;
    }

    /** The result of a check. */
    enum Verdict {
        OK("\u001b[32m"),
        WARN("\u001b[33m"),
        FAIL("\u001b[31m");

        private final String color;

        Verdict(String color) {
            this.color = color;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        String shown(boolean colors) {
            String padded = word() + " ".repeat(4 - name().length());
            return colors ? color + padded + "\u001b[0m" : padded;
        }
    }

    /** The result of one check: its name, what was seen, and how to fix it if something is wrong. */
    record Finding(
            String check,
            Verdict verdict,
            String seen,
            @Nullable String remedy) {}

    /** Sets back the time of a SQLite file that is ahead of the clock, and reports it. */
    void repairTime() {
        SqliteTimeRepair.Repaired repaired = SqliteTimeRepair.repair(url.file(), InstantSource.system());
        boolean changed = !repaired.from().equals(repaired.to());
        add(
                "repair of the file's time",
                Verdict.OK,
                changed
                        ? "set back from " + repaired.from() + " to " + repaired.to() + "; "
                                + Text.count(repaired.tasks(), "task") + " moved with it"
                        : "not needed, the file's time is " + repaired.from(),
                null);
    }

    List<Finding> run() {
        int feature = Runtime.version().feature();
        add(
                "JDK",
                feature >= OLDEST_JDK ? Verdict.OK : Verdict.FAIL,
                Runtime.version() + " in " + System.getProperty("java.home"),
                "Install a JDK " + OLDEST_JDK + " or newer.");
        if (url.objects() != null) {
            findings.addAll(ObjectInspection.of(url.objects()));
            boolean reached = findings.stream().noneMatch(finding -> finding.verdict() == Verdict.FAIL);
            if (reached && url.hasLog()) {
                store(url, null);
            } else if (reached) {
                add("store", Verdict.OK, "there are no tasks below the prefix yet", null);
            }
            return findings;
        }
        if (url.isDatabase()) {
            store(url, null);
            return findings;
        }
        Path file = url.file().toAbsolutePath().normalize();
        freeSpace(file);
        if (Files.exists(file)) {
            store(url, file);
            return findings;
        }
        try (TemporaryDirectory own = TemporaryDirectory.in(file.getParent(), "semel-doctor-")) {
            Path trial = own.path().resolve("trial.db");
            add("store", Verdict.OK, "\"" + file + "\" does not exist yet; checked with a new file next to it", null);
            store(new StoreUrl(trial), trial);
        } catch (IOException e) {
            add(
                    "store",
                    Verdict.FAIL,
                    "cannot create a file next to \"" + file + "\" (" + e + ")",
                    "Create the directory, give this user write permission for it, or choose another file with"
                            + " --store.");
        }
        return findings;
    }

    private void store(StoreUrl at, @Nullable Path file) {
        String check = "store opens";
        try (TaskStore store = at.isDatabase() ? at.openExisting() : at.open()) {
            add(check, Verdict.OK, at.toString(), null);
            check = "store answers";
            if (file != null) {
                permissions(file);
                inspect(file);
            } else if (at.database() != null) {
                findings.addAll(PostgresInspection.of(at.database()));
            }
            clock(store);
            roundTrip(store);
        } catch (SemelException e) {
            add(check, Verdict.FAIL, String.valueOf(e.getMessage()), "See the message.");
        }
    }

    private void inspect(Path file) {
        try (SqliteInspection inspection = SqliteInspection.of(file)) {
            int version = inspection.schemaVersion();
            add(
                    "schema version",
                    version == SqliteSchema.VERSION ? Verdict.OK : Verdict.WARN,
                    version + ", this program creates " + SqliteSchema.VERSION,
                    "A newer version of Semel created it. Upgrade this machine to that version.");
            String mode = inspection.ask("PRAGMA journal_mode");
            add(
                    "journal mode",
                    mode.equals("wal") ? Verdict.OK : Verdict.FAIL,
                    mode,
                    "Stop all programs that use the file, then run: sqlite3 \"" + file + "\" 'PRAGMA"
                            + " journal_mode=WAL'.");
            // Semel's own connections are always FULL. A program that submits inside its own transactions uses
            // connections that Semel does not configure.
            int synchronous = Integer.parseInt(inspection.ask("PRAGMA synchronous"));
            add(
                    "synchronous",
                    synchronous >= 2 ? Verdict.OK : Verdict.WARN,
                    synchronous + " on a plain JDBC connection (2 is FULL); Semel sets FULL on its own connections",
                    "Run PRAGMA synchronous=FULL on connections in whose transactions you submit.");
            filesTime(inspection);
            String check = inspection.ask("PRAGMA quick_check(1)");
            add(
                    "integrity",
                    check.equals("ok") ? Verdict.OK : Verdict.FAIL,
                    check,
                    "The file is damaged. Stop all programs that use it, copy it with its -wal file, then restore a"
                            + " backup or try \"sqlite3 FILE .recover\".");
        }
    }

    /** Checks the file's time, which stays ahead after a clock that was ahead is corrected. */
    private void filesTime(SqliteInspection inspection) {
        Instant now = Instant.now();
        Instant time = inspection.time();
        boolean ahead = time.isAfter(now.plusSeconds(60));
        add(
                "file's time",
                ahead ? Verdict.FAIL : Verdict.OK,
                ahead
                        ? time + ", " + Text.span(Duration.between(now, time)) + " ahead of this machine's clock ("
                                + now + ")"
                        : "not ahead of this machine's clock",
                "Delays, windows and retention end too early by this difference. If this machine's clock is right,"
                        + " stop all programs that use the file and run \"semel doctor "
                        + DoctorCommand.REPAIR_TIME + "\".");
    }

    /** Checks that other users of the machine cannot read or change inputs and results. */
    private void permissions(Path file) {
        List<String> open = new ArrayList<>();
        String own = "";
        for (String suffix : List.of("", "-wal", "-shm")) {
            Path one = file.resolveSibling(file.getFileName() + suffix);
            try {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(one);
                own = suffix.isEmpty() ? PosixFilePermissions.toString(permissions) : own;
                if (permissions.contains(PosixFilePermission.OTHERS_READ)
                        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                    open.add(one.getFileName() + " (" + PosixFilePermissions.toString(permissions) + ")");
                }
            } catch (IOException | UnsupportedOperationException expected) {
                // it does not exist, or this system has other permissions
            }
        }
        if (!own.isEmpty()) {
            add(
                    "file permissions",
                    open.isEmpty() ? Verdict.OK : Verdict.WARN,
                    open.isEmpty() ? own : "every user of this machine can use " + String.join(", ", open),
                    "Inputs and results are stored in plain text. Run: chmod o-rwx \"" + file + "\"*");
        }
    }

    private void freeSpace(Path file) {
        Path directory = file.getParent();
        try {
            long free = Files.getFileStore(directory == null ? file : directory).getUsableSpace();
            Verdict verdict = free < NO_SPACE ? Verdict.FAIL : free < LITTLE_SPACE ? Verdict.WARN : Verdict.OK;
            add(
                    "free disk space",
                    verdict,
                    String.format(Locale.ROOT, "%.1f GiB at \"%s\"", free / (double) (1L << 30), directory),
                    "Free some space: on a full disk, submissions fail.");
        } catch (IOException e) {
            add(
                    "free disk space",
                    Verdict.FAIL,
                    "unknown: directory \"" + directory + "\" does not exist",
                    "Create the directory, or choose another file with --store.");
        }
    }

    /** Checks the clock. If it was set back, tasks are due late, and the newest task was created in the future. */
    private void clock(TaskStore store) {
        Instant now = Instant.now();
        List<Task> newest = store.list(TaskQuery.all(1)).tasks();
        boolean future = !newest.isEmpty() && newest.getFirst().createdAt().isAfter(now.plusSeconds(60));
        add(
                "clock",
                future ? Verdict.WARN : Verdict.OK,
                now
                        + (future
                                ? ", but the newest task was created at "
                                        + newest.getFirst().createdAt()
                                : ""),
                "This machine's clock was set back, or another machine's clock is ahead. Correct it (NTP).");
    }

    /** Submits, claims and completes a task, then removes it. */
    private void roundTrip(TaskStore store) {
        long began = System.nanoTime();
        TaskId id = TaskId.next(InstantSource.system(), new SecureRandom());
        store.submit(List.of(new NewTask(id, OWN, OWN, OWN, "null", NewTask.Start.now(), TaskOptions.NONE, null)));
        Duration shortest = store.shortestLease();
        Duration lease = shortest.compareTo(LEASE) > 0 ? shortest : LEASE;
        boolean completed = false;
        while (!completed && System.nanoTime() - began < PATIENCE.toNanos()) {
            // Another doctor may work in the same lane: this one completes its left-over tasks, and the other may
            // complete ours.
            Claims claims =
                    store.claim(new ClaimRequest(System.nanoTime(), false, Set.of(OWN), null, 10, 10, lease, OWN));
            List<Settlement> settlements = new ArrayList<>();
            claims.tasks().forEach(claimed -> settlements.add(new Settlement.Complete(claimed.lease(), null)));
            if (!settlements.isEmpty()) {
                store.settle(settlements);
            }
            Task task = store.find(List.of(id)).get(id);
            completed = task == null || task.state() == TaskState.COMPLETED;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        store.sweep(new SweepRequest(Limits.LONGEST, Map.of(OWN, Duration.ZERO), Limits.LONGEST, 100));
        boolean slow = took.compareTo(SLOW) > 0;
        add(
                "submit, claim, complete",
                completed ? slow ? Verdict.WARN : Verdict.OK : Verdict.FAIL,
                (completed ? "done in " : "not done within ") + took.toMillis() + " ms",
                completed
                        ? "The disk is slow or busy. Each of these steps waits for one write to it."
                        : "Find the program that keeps a transaction on the store open, and end the transaction.");
    }

    private void add(String check, Verdict verdict, String seen, @Nullable String remedy) {
        findings.add(new Finding(check, verdict, seen, verdict == Verdict.OK ? null : remedy));
    }
}
