package dev.semel.server.api;

import dev.semel.server.http.Request;
import dev.semel.server.json.JsonMembers;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which tasks and which key a request means. */
final class Filters {

    static final int PAGE = 100;

    private Filters() {}

    /** The tasks of a list, always of the caller's tenant. */
    static TaskQuery tasks(Request request, Set<TaskState> usual) {
        request.allowQueries("queue", "type", "state", "tag", "limit", "cursor");
        return query(
                request.caller().tenant(),
                request::query,
                request.query("state").map(words -> List.of(words.split(",", -1))),
                usual,
                request.query("cursor").map(TaskId::parse).orElse(null),
                Backend.limit(request, PAGE, TaskQuery.MAX_LIMIT));
    }

    /** The tasks of a bulk operation, always of the caller's tenant. */
    static TaskQuery tasks(Request request, JsonMembers filter) {
        return query(
                request.caller().tenant(),
                filter::string,
                filter.strings("states"),
                Set.of(),
                null,
                TaskQuery.MAX_LIMIT);
    }

    private static TaskQuery query(
            @Nullable String tenant,
            Function<String, Optional<String>> text,
            Optional<List<String>> states,
            Set<TaskState> usual,
            @Nullable TaskId cursor,
            int limit) {
        return new TaskQuery(
                tenant,
                text.apply("queue").map(name -> Limits.name("queue", name)).orElse(null),
                text.apply("type").map(name -> Limits.name("task type", name)).orElse(null),
                states.map(Filters::states).orElse(usual),
                null,
                null,
                false,
                text.apply("tag").orElse(null),
                cursor,
                limit);
    }

    private static Set<TaskState> states(List<String> words) {
        Set<TaskState> states = EnumSet.noneOf(TaskState.class);
        for (String word : words) {
            states.add(List.of(TaskState.values()).stream()
                    .filter(state -> state.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new InvalidInput(
                            "A state is pending, running, waiting, completed, failed, cancelled or timed_out, but got"
                                    + " \""
                                    + Limits.shown(word) + "\".")));
        }
        return states;
    }

    /** The key that a query names: its text, its scope, and the name of the scope. */
    static Identity identity(Request request) {
        request.allowQueries("key", "scope", "type", "queue");
        String key = request.query("key")
                .map(Limits::key)
                .orElseThrow(() -> new InvalidInput("The query needs the parameter \"key\", but it is absent."));
        Scope scope = Scope.parse(request.query("scope").orElse("type"));
        String named = switch (scope.kind()) {
            case TYPE -> "type";
            case QUEUE -> "queue";
            case TENANT, CUSTOM -> "";
        };
        String name = named.isEmpty()
                ? ""
                : request.query(named)
                        .orElseThrow(() -> new InvalidInput("A key in the scope " + scope.word()
                                + " needs the parameter \"" + named + "\", but it is absent."));
        return Identity.of(Backend.tenant(request), scope, name, name, key);
    }
}
