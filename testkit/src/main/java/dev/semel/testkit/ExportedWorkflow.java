package dev.semel.testkit;

import dev.semel.engine.Codec;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TypeRef;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as {@code semel workflow history --json} prints it.
 *
 * @param task its task; its attempt is never the first, so that local steps are looked up
 * @param history its history
 * @param effects its local steps
 */
record ExportedWorkflow(Task task, History history, List<EffectRecord> effects) {

    private static final TypeRef<Map<String, Object>> MEMBERS = new TypeRef<>() {};

    /** An object of the document. */
    private record Members(Map<String, Object> values) {

        @Nullable
        String text(String name) {
            Object value = values.get(name);
            return value == null ? null : value.toString();
        }

        String required(String name) {
            String text = text(name);
            if (text == null) {
                throw new InvalidInput("The history has no \"" + name
                        + "\". Export it with \"semel workflow history TYPE ID --json\".");
            }
            return text;
        }

        Instant time(String name) {
            return Instant.parse(required(name));
        }

        int number(String name) {
            return Integer.parseInt(required(name));
        }

        @Nullable
        TaskId task(String name) {
            String text = text(name);
            return text == null ? null : TaskId.parse(text);
        }

        /** A value of the user's, as JSON again; null for none. */
        @Nullable
        String document(String name) {
            Object value = values.get(name);
            return value == null ? null : Codec.standard().encode(value);
        }

        @SuppressWarnings("unchecked") // what the codec makes of an array of objects
        List<Members> objects(String name) {
            if (!(values.get(name) instanceof List<?> list)) {
                throw new InvalidInput("The history has no list \"" + name
                        + "\". Export it with \"semel workflow history TYPE ID --json\".");
            }
            return list.stream()
                    .map(object -> new Members((Map<String, Object>) object))
                    .toList();
        }
    }

    static ExportedWorkflow parse(String json) {
        try {
            return read(new Members(Codec.standard().decode(json, MEMBERS)));
        } catch (DateTimeException | NumberFormatException | ClassCastException e) {
            throw new InvalidInput("The history cannot be read: " + e.getMessage(), e);
        }
    }

    private static ExportedWorkflow read(Members whole) {
        TaskId id = TaskId.parse(whole.required("task_id"));
        TaskId lineage = TaskId.parse(whole.required("lineage"));
        Instant now = whole.time("read_at");
        String type = whole.required("type");
        String queue = whole.required("queue");
        String tenant = whole.required("tenant");
        String input = whole.values().containsKey("input") ? whole.document("input") : "null";
        if (Boolean.TRUE.equals(whole.values().get("input_gone"))) {
            throw new InvalidInput("The input of workflow \"" + whole.text("id")
                    + "\" is no longer stored, so its code cannot run. Export a workflow within its retention.");
        }
        TaskState state = TaskState.parse(whole.required("state"));
        Task task = new Task(
                id,
                tenant,
                queue,
                type,
                input == null ? "null" : input,
                TaskOptions.NONE,
                Identity.of(tenant, Scope.type(), queue, type, whole.required("id")),
                1,
                id,
                lineage,
                whole.time("created_at"),
                new Task.Progress(state, 2, 0, 0, now, false, null, null, null));
        return new ExportedWorkflow(
                task,
                new History(
                        whole.objects("lines").stream()
                                .map(ExportedWorkflow::line)
                                .toList(),
                        whole.objects("inbox").stream()
                                .map(ExportedWorkflow::entry)
                                .toList(),
                        now),
                whole.objects("effects").stream()
                        .map(effect -> effect(lineage, id, effect))
                        .toList());
    }

    private static HistoryLine line(Members line) {
        return new HistoryLine(
                line.number("number"),
                HistoryLine.Kind.parse(line.required("kind")),
                line.required("name"),
                line.task("task_id"),
                line.document("value"),
                line.time("at"));
    }

    private static InboxEntry entry(Members entry) {
        String state = entry.text("state");
        return new InboxEntry(
                entry.number("number"),
                entry.required("name"),
                entry.task("task_id"),
                state == null ? null : TaskState.parse(state),
                entry.text("key"),
                entry.document("value"),
                entry.text("error"),
                entry.time("at"));
    }

    private static EffectRecord effect(TaskId lineage, TaskId task, Members effect) {
        EffectState state = EffectState.valueOf(effect.required("state").toUpperCase(Locale.ROOT));
        boolean done = state == EffectState.DONE;
        Instant intended = effect.time("intended_at");
        return new EffectRecord(
                new EffectId(lineage, effect.required("name"), effect.number("index")),
                new AttemptId(task, 1),
                state,
                intended,
                null,
                false,
                done ? intended : null,
                done ? EffectOutcome.How.RAN : null,
                effect.document("result"),
                null,
                null);
    }
}
