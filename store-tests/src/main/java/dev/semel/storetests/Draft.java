package dev.semel.storetests;

import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A submission that lacks only its id; each method gives a draft that differs in one thing. */
record Draft(
        String tenant,
        String queue,
        String type,
        String input,
        NewTask.Start start,
        TaskOptions options,
        @Nullable String key,
        Scope scope,
        Duration ttl,
        ReusePolicy policy) {

    static final String QUEUE = "queue";
    static final String TYPE = "type";
    static final Duration TTL = Duration.ofDays(30);

    /** A task without a key that may start at once. */
    static Draft plain() {
        return new Draft(
                Identity.DEFAULT_TENANT,
                QUEUE,
                TYPE,
                "{\"n\":1}",
                NewTask.Start.now(),
                TaskOptions.NONE,
                null,
                Scope.type(),
                TTL,
                ReusePolicy.allowFailedOnly());
    }

    /** A task with a key and the default policy. */
    static Draft keyed(String key) {
        return plain().key(key);
    }

    Draft tenant(String other) {
        return new Draft(other, queue, type, input, start, options, key, scope, ttl, policy);
    }

    Draft queue(String other) {
        return new Draft(tenant, other, type, input, start, options, key, scope, ttl, policy);
    }

    Draft type(String other) {
        return new Draft(tenant, queue, other, input, start, options, key, scope, ttl, policy);
    }

    Draft input(String other) {
        return new Draft(tenant, queue, type, other, start, options, key, scope, ttl, policy);
    }

    Draft start(NewTask.Start other) {
        return new Draft(tenant, queue, type, input, other, options, key, scope, ttl, policy);
    }

    Draft delay(Duration delay) {
        return start(new NewTask.Start.After(delay));
    }

    Draft options(TaskOptions other) {
        return new Draft(tenant, queue, type, input, start, other, key, scope, ttl, policy);
    }

    Draft priority(int priority) {
        return options(new TaskOptions(priority, options.retry(), options.timeout(), options.mutex())
                .withLimits(options.limits())
                .withTags(options.tags()));
    }

    Draft mutex(String mutex) {
        return options(new TaskOptions(options.priority(), options.retry(), options.timeout(), mutex)
                .withLimits(options.limits())
                .withTags(options.tags()));
    }

    Draft key(@Nullable String other) {
        return new Draft(tenant, queue, type, input, start, options, other, scope, ttl, policy);
    }

    Draft scope(Scope other) {
        return new Draft(tenant, queue, type, input, start, options, key, other, ttl, policy);
    }

    Draft ttl(Duration other) {
        return new Draft(tenant, queue, type, input, start, options, key, scope, other, policy);
    }

    Draft policy(ReusePolicy other) {
        return new Draft(tenant, queue, type, input, start, options, key, scope, ttl, other);
    }

    /** The draft that replaces whatever is open. */
    Draft replacing() {
        return policy(
                ReusePolicy.of(ReusePolicy.WhileOpen.REPLACE, ReusePolicy.AfterEnd.RERUN, ReusePolicy.AfterEnd.RERUN));
    }

    Identity identity() {
        if (key == null) {
            throw new IllegalStateException("A draft without a key has no identity: " + this);
        }
        return Identity.of(tenant, scope, queue, type, key);
    }

    InputHash hash() {
        return InputHash.of(Json.parse(input), List.of());
    }

    NewTask as(TaskId id) {
        NewTask.KeyRequest request = key == null ? null : new NewTask.KeyRequest(identity(), hash(), ttl, policy);
        return new NewTask(id, tenant, queue, type, input, start, options, request);
    }
}
