package dev.semel.spring.autoconfigure;

import dev.semel.guard.FailMode;
import dev.semel.guard.WhenBusy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings {@code semel.*}. An unknown name is an error. A setting that is null has the default of Semel itself.
 *
 * @param enabled whether Semel is configured at all
 * @param store where the tasks are kept: {@code datasource}, {@code datasource:BEAN}, {@code sqlite:FILE},
 *     {@code postgresql://…} or {@code memory}; null for the application's only data source
 * @param join whether submissions join the transaction of the calling thread
 * @param tenant the tenant of submissions that do not set one
 * @param settings a file {@code semel.toml} with settings of queues and task types
 * @param worker the worker
 * @param guard the guard
 * @param metrics the metrics
 * @param sqlite settings of a SQLite store
 * @param postgresql settings of a PostgreSQL store
 */
@ConfigurationProperties(prefix = "semel", ignoreUnknownFields = false)
public record SemelProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String store,
        @DefaultValue("always") Join join,
        @Nullable String tenant,
        @Nullable Path settings,
        @DefaultValue Worker worker,
        @DefaultValue Guard guard,
        @DefaultValue Metrics metrics,
        @DefaultValue Sqlite sqlite,
        @DefaultValue Postgresql postgresql) {

    /** Whether submissions join the transaction of the calling thread. */
    public enum Join {
        /** Every submission inside a transaction is part of it. If the store cannot join it, the submission fails. */
        ALWAYS,

        /** A submission is sent at once, whether or not the transaction commits. */
        NEVER
    }

    /**
     * The settings of the worker.
     *
     * @param enabled whether this program runs tasks
     * @param keepAlive whether a running worker keeps the JVM running
     * @param queues the queues to claim from; by default those of the types that have a handler
     * @param name its name
     * @param concurrency how many handlers run at once
     * @param prefetch the most tasks that it holds in addition to those that run
     * @param heldBytes the most bytes of inputs and results that it holds
     * @param lease the length of a lease
     * @param poll the longest time between two claims
     * @param maxVanished how many attempts of one task may vanish
     * @param closeGrace how long running handlers may continue at the end; by default
     *     {@code spring.lifecycle.timeout-per-shutdown-phase}
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("true") boolean keepAlive,
            @DefaultValue List<String> queues,
            @Nullable String name,
            @Nullable Integer concurrency,
            @Nullable Integer prefetch,
            @Nullable DataSize heldBytes,
            @Nullable Duration lease,
            @Nullable Duration poll,
            @Nullable Integer maxVanished,
            @Nullable Duration closeGrace) {}

    /**
     * The settings of the guard.
     *
     * @param ttl how long outcomes are kept
     * @param lease how long a call holds its key without a renewal
     * @param whenBusy the behaviour when another call is running the effect
     * @param waitLimit how long to wait for another call's result
     * @param failMode the behaviour when the store fails
     */
    public record Guard(
            @Nullable Duration ttl,
            @Nullable Duration lease,
            @Nullable WhenBusy whenBusy,
            @Nullable Duration waitLimit,
            @Nullable FailMode failMode) {}

    /**
     * The settings of the metrics.
     *
     * @param depths how often the depths of queues are read; null if they are not read
     */
    public record Metrics(@Nullable Duration depths) {}

    /**
     * The settings of a SQLite store.
     *
     * @param joinedLimit how long a transaction of the application may accept submissions
     * @param lockLimit how long an operation waits for a lock
     * @param readers how many reads run at the same time
     */
    public record Sqlite(
            @Nullable Duration joinedLimit,
            @Nullable Duration lockLimit,
            @Nullable Integer readers) {}

    /**
     * The settings of a PostgreSQL store.
     *
     * @param schema the schema of the tables
     * @param migrate whether the store creates and changes its tables
     * @param hints whether processes wake each other, for which each keeps a connection
     * @param connections the size of the pool of a store that is opened by a URL
     * @param lockLimit how long a submission waits for a lock
     * @param answerLimit how long to wait for an answer of the server
     */
    public record Postgresql(
            @Nullable String schema,
            @DefaultValue("true") boolean migrate,
            @DefaultValue("true") boolean hints,
            @Nullable Integer connections,
            @Nullable Duration lockLimit,
            @Nullable Duration answerLimit) {}
}
