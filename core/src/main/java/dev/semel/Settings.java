package dev.semel;

import dev.semel.engine.Cleaning;
import dev.semel.store.QueueSettings;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.ReusePolicy;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration says, as plain values. Where it says something it wins over what code says of the same thing; what
 * it leaves out is as the code says. {@link SettingsFile} reads it from a file.
 *
 * @param store where tasks are kept, or null; for the command line, code is given its store
 * @param defaults what holds where neither submission nor type nor queue says otherwise
 * @param cleaning when finished tasks go
 * @param queues queues by name
 * @param tasks task types by name
 */
public record Settings(
        @Nullable String store,
        Defaults defaults,
        CleaningTimes cleaning,
        Map<String, QueueSettings> queues,
        Map<String, TypeSettings> tasks) {

    /** A configuration that says nothing. */
    public static final Settings NONE =
            new Settings(null, new Defaults(null, null, null), CleaningTimes.NONE, Map.of(), Map.of());

    /** Copies. */
    public Settings {
        queues = Map.copyOf(queues);
        tasks = Map.copyOf(tasks);
    }

    /**
     * What holds for the whole instance.
     *
     * @param identity how the key is found when the caller gives none, or null
     * @param reuse what becomes of a submission whose identity has a task, or null
     * @param idempotencyTtl how long records answer, or null
     */
    public record Defaults(
            @Nullable IdentityStrategy identity,
            @Nullable ReusePolicy reuse,
            @Nullable Duration idempotencyTtl) {}

    /**
     * When finished tasks and records go, as far as the configuration says so.
     *
     * @param interval how often to clean, or null; zero for never by itself
     * @param retention how long a finished task's data is kept in queues that do not say so, or null
     * @param deadLetterRetention how long dead letters are kept, or null
     * @param workflowRetention how long a finished workflow's history is kept, or null
     */
    public record CleaningTimes(
            @Nullable Duration interval,
            @Nullable Duration retention,
            @Nullable Duration deadLetterRetention,
            @Nullable Duration workflowRetention) {

        /** Says nothing. */
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
     * What it says of a task type.
     *
     * @param type the name of the type
     * @return its settings; {@link TypeSettings#NONE} where it says nothing
     */
    public TypeSettings task(String type) {
        return tasks.getOrDefault(type, TypeSettings.NONE);
    }
}
