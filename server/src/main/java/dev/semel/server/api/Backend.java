package dev.semel.server.api;

import dev.semel.Semel;
import dev.semel.server.http.Request;
import dev.semel.server.limit.Admission;
import dev.semel.server.tenant.Stores;
import dev.semel.server.wait.LongPolls;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.time.Duration;
import java.util.List;

/**
 * What routes work with.
 *
 * @param semel the instance, which knows all tenants: ask it only for what {@link #own} has found, or with the caller's tenant
 * @param stores the store as each caller may see it
 * @param polls requests that wait
 * @param admission limits of tenants
 */
public record Backend(Semel semel, Stores stores, LongPolls polls, Admission admission) {

    /** The most items of a batch. */
    public static final int MAX_BATCH = 1_000;

    /** The most bytes of a body with one document. */
    public static final int MAX_BODY = Limits.DOCUMENT_BYTES + (64 << 10);

    /** The most bytes of a body with many documents. */
    public static final int MAX_BATCH_BODY = 16 << 20;

    TaskStore store(Request request) {
        return stores.of(request.caller());
    }

    static String tenant(Request request) {
        String tenant = request.caller().tenant();
        return tenant == null ? Identity.DEFAULT_TENANT : tenant;
    }

    static TaskId id(Request request) {
        return TaskId.parse(request.parameter("id"));
    }

    /** Returns a task of the caller's own; another tenant's is as unknown as one that never was. */
    Task own(Request request, TaskId id) {
        Task task = store(request).find(List.of(id)).get(id);
        if (task == null) {
            throw new TaskNotFound("There is no task " + id + ", or its data is no longer stored.", id);
        }
        return task;
    }

    static int limit(Request request, int usual, int most) {
        String given = request.query("limit").orElse(Integer.toString(usual));
        if (!given.matches("[0-9]{1,6}") || Integer.parseInt(given) < 1 || Integer.parseInt(given) > most) {
            throw new InvalidInput(
                    "A page has 1 to " + most + " entries, but got limit \"" + Limits.shown(given) + "\".");
        }
        return Integer.parseInt(given);
    }

    static Duration wait(Request request) {
        return request.query("wait").map(Backend::seconds).orElse(Duration.ZERO);
    }

    static Duration seconds(String given) {
        Duration wait =
                given.matches("[0-9]{1,6}") ? Duration.ofSeconds(Long.parseLong(given)) : Durations.parse(given);
        return wait;
    }
}
