package dev.semel;

import dev.semel.engine.Cleaning;
import dev.semel.engine.WorkerOptions;
import dev.semel.schedule.Schedule;
import dev.semel.store.QueueSettings;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.ReusePolicy;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as plain values. Its settings override those in code; for absent settings the code applies.
 * {@link SettingsFile} reads it from a file.
 *
 * @param store the location of the store, or null; used by the command line only, because code passes its store
 * @param defaults the defaults, which apply if neither the submission nor the type nor the queue has a setting
 * @param cleaning when finished tasks are deleted
 * @param queues queues by name
 * @param tasks task types by name
 * @param workers workers by the first of their queues
 * @param schedules schedules by name
 * @param listening where a server listens
 */
public record Settings(
        @Nullable String store,
        Defaults defaults,
        CleaningTimes cleaning,
        Map<String, QueueSettings> queues,
        Map<String, TypeSettings> tasks,
        Map<String, WorkerOptions> workers,
        Map<String, Schedule> schedules,
        Listening listening) {

    /** An empty configuration. */
    public static final Settings NONE = new Settings(
            null, new Defaults(null, null, null), CleaningTimes.NONE, Map.of(), Map.of(), Map.of(), Map.of());

    /**
     * Settings of a program that is no server.
     *
     * @param store the URL of the store, or null
     * @param defaults the defaults of the whole instance
     * @param cleaning when finished tasks and records are deleted
     * @param queues queues by name
     * @param tasks task types by name
     * @param workers workers by the first of their queues
     * @param schedules schedules by name
     */
    public Settings(
            @Nullable String store,
            Defaults defaults,
            CleaningTimes cleaning,
            Map<String, QueueSettings> queues,
            Map<String, TypeSettings> tasks,
            Map<String, WorkerOptions> workers,
            Map<String, Schedule> schedules) {
        this(store, defaults, cleaning, queues, tasks, workers, schedules, Listening.NONE);
    }

    /** Copies the maps. */
    public Settings {
        queues = Map.copyOf(queues);
        tasks = Map.copyOf(tasks);
        workers = Map.copyOf(workers);
        schedules = Map.copyOf(schedules);
    }

    /**
     * The defaults of the whole instance.
     *
     * @param identity the identity strategy, or null
     * @param reuse the reuse policy, or null
     * @param idempotencyTtl the window of records, or null
     */
    public record Defaults(
            @Nullable IdentityStrategy identity,
            @Nullable ReusePolicy reuse,
            @Nullable Duration idempotencyTtl) {}

    /**
     * Where a server listens, and with what.
     *
     * @param host the address, or null
     * @param port the port, or null
     * @param tokens the file of tokens, or null
     * @param certificate the certificate chain, or null
     * @param privateKey the private key of the certificate, or null
     * @param grace how long to wait for requests at the end, or null
     * @param audit the file of operators' actions, or null
     */
    public record Listening(
            @Nullable String host,
            @Nullable Integer port,
            @Nullable String tokens,
            @Nullable String certificate,
            @Nullable String privateKey,
            @Nullable Duration grace,
            @Nullable String audit) {

        /** Nothing is configured. */
        public static final Listening NONE = new Listening(null, null, null, null, null, null, null);
    }

    /**
     * The configured times after which finished tasks and records are deleted.
     *
     * @param interval the interval of cleaning, or null; zero for no automatic cleaning
     * @param retention how long a finished task's data is kept in queues that do not set a retention, or null
     * @param deadLetterRetention how long dead letters are kept, or null
     * @param workflowRetention how long a finished workflow's history is kept, or null
     */
    public record CleaningTimes(
            @Nullable Duration interval,
            @Nullable Duration retention,
            @Nullable Duration deadLetterRetention,
            @Nullable Duration workflowRetention) {

        /** No times. */
        public static final CleaningTimes NONE = new CleaningTimes(null, null, null, null);

        Cleaning over(Cleaning coded) {
            return new Cleaning(
                    interval != null ? interval : coded.interval(),
                    retention != null ? retention : coded.retention(),
                    deadLetterRetention != null ? deadLetterRetention : coded.deadLetterRetention(),
                    workflowRetention != null ? workflowRetention : coded.workflowRetention());
        }
    }

    /**
     * Returns the settings of a task type.
     *
     * @param type the name of the type
     * @return its settings; {@link TypeSettings#NONE} if there are none
     */
    public TypeSettings task(String type) {
        return tasks.getOrDefault(type, TypeSettings.NONE);
    }

    /**
     * Returns the settings of a worker.
     *
     * @param queue the first of its queues
     * @return its settings; {@link WorkerOptions#NONE} if there are none
     */
    public WorkerOptions worker(String queue) {
        return workers.getOrDefault(queue, WorkerOptions.NONE);
    }
}
