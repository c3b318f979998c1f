package dev.semel;

import dev.semel.store.KeyRecord;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An explanation of what a submission does or did, and why. It never shows an input or a result: both may be secret.
 *
 * @param taskId the task that the submission would create, or the existing task that is explained
 * @param type the task type
 * @param queue the queue
 * @param identity the identity of the submission; null without a key
 * @param strategy the origin of the key: {@code given} by the caller, or the name of the identity strategy
 * @param inputHash the hash of the compared part of the input; null if it is not known
 * @param record the record of the identity; null if there is none
 * @param difference how the input compares with that of the record's task; null if there is no record
 * @param policy the policy that applies; null without a key
 * @param rule the rule of the policy that applies, for example {@code completed=return}; null if none applies
 * @param outcome the outcome of the submission
 * @param remarks further sentences about an existing task
 */
public record Explanation(
        TaskId taskId,
        String type,
        String queue,
        @Nullable Identity identity,
        String strategy,
        @Nullable InputHash inputHash,
        @Nullable KeyRecord record,
        @Nullable Difference difference,
        @Nullable ReusePolicy policy,
        @Nullable String rule,
        Outcome outcome,
        List<String> remarks) {

    /** Copies the list. */
    public Explanation {
        remarks = List.copyOf(remarks);
    }

    /** The outcome of a submission. */
    public enum Outcome {
        /** A new task is created. */
        CREATE,
        /** The same submission was sent before and gets the same answer. */
        REPEAT,
        /** The existing task is returned. */
        RETURN,
        /** The existing task is returned, with a warning that the input differs. */
        WARN,
        /** A new run of the same identity is created. */
        RERUN,
        /** The existing task is cancelled and a new one is created. */
        REPLACE,
        /** The submission is rejected because the task exists. */
        REJECT,
        /** The submission is rejected because the input or the type differs. */
        CONFLICT
    }

    /**
     * The comparison of two submissions of one identity.
     *
     * @param sameType whether the task types are the same
     * @param sameInput whether the hashes of the inputs are the same
     * @param paths where the inputs differ, as JSON pointers; empty if they are the same or if the first one is no
     *     longer stored
     */
    public record Difference(boolean sameType, boolean sameInput, List<String> paths) {

        /** Copies the list. */
        public Difference {
            paths = List.copyOf(paths);
        }
    }

    /**
     * Returns the explanation as sentences.
     *
     * @return sentences in reading order
     */
    public List<String> sentences() {
        List<String> said = new ArrayList<>();
        if (identity == null) {
            said.add("Task type \"" + type + "\" in queue \"" + queue + "\": there is no key (strategy " + strategy
                    + "), so every submission is a new task.");
            said.addAll(remarks);
            return said;
        }
        said.add(keyOrigin(identity));
        said.add("It is unique within tenant \"" + identity.tenant() + "\" and the scope "
                + (identity.scopeKind() == Scope.Kind.TENANT
                        ? "of the whole tenant"
                        : identity.scopeKind().word() + " \"" + identity.scopeName() + "\"")
                + ".");
        said.addAll(remarks);
        said.addAll(aboutRecord());
        said.add(verdict());
        return said;
    }

    private String keyOrigin(Identity of) {
        String key = "Key \"" + Limits.shown(of.key()) + "\" ";
        return switch (strategy) {
            case "given" -> key + "was given by the caller.";
            case "strict" -> key + "is derived from the type and a hash of the whole input (strategy strict).";
            case "contextual" -> key + "is derived from the type and a hash of selected fields (strategy contextual).";
            default -> key + "is derived by the identity strategy " + strategy + ".";
        };
    }

    private List<String> aboutRecord() {
        if (record == null) {
            return List.of("There is no record of the key: it is free.");
        }
        List<String> said = new ArrayList<>();
        TaskState state = record.state();
        Instant ended = record.finishedAt();
        said.add("It has task " + record.taskId() + ", run " + record.run() + ", created " + record.createdAt()
                + (ended == null
                        ? ", which is " + state.word() + "."
                        : ", which ended as " + state.word() + " " + ended + ".")
                + (record.dataGone() ? " Its data is no longer stored." : ""));
        said.add(
                state.isOpen()
                        ? "While that task is open it holds the key, even after its window."
                        : record.windowPassed()
                                ? "Its window passed " + record.expiresAt() + ", so the key is free."
                                : "Its window ends " + record.expiresAt() + ".");
        Instant last = record.lastDuplicateAt();
        if (last != null) {
            said.add(record.duplicates() + (record.duplicates() == 1 ? " submission was" : " submissions were")
                    + " answered with that task; the last one was counted " + last + ".");
        }
        if (difference != null && !(record.windowPassed() && !state.isOpen())) {
            said.add(comparison(difference));
        }
        return said;
    }

    private static String comparison(Difference difference) {
        String typed = difference.sameType() ? "" : "The task type differs. ";
        if (difference.sameInput()) {
            return typed + "The compared part of the input is the same.";
        }
        return typed + "The compared part of the input differs"
                + (difference.paths().isEmpty()
                        ? "."
                        : " at " + Limits.shown(String.join(", ", difference.paths())) + ".");
    }

    private String verdict() {
        String because = rule == null ? "" : " (rule " + rule + ")";
        return switch (outcome) {
            case CREATE -> "So a submission creates a new task, run 1.";
            case REPEAT -> "The same submission was sent before and gets the same answer.";
            case RETURN -> "So a submission returns that task" + because + ".";
            case WARN -> "So a submission returns that task, with a warning that the input differs" + because + ".";
            case RERUN -> "So a submission creates a new task under the same key, the next run" + because + ".";
            case REPLACE -> "So a submission cancels that task and creates a new one" + because + ".";
            case REJECT -> "So a submission is rejected, because the task exists" + because + ".";
            case CONFLICT -> "So a submission is rejected as a conflict, and nothing changes" + because + ".";
        };
    }

    /**
     * Returns the explanation as JSON.
     *
     * @return a JSON object in one line
     */
    public String json() {
        JsonObject json = new JsonObject()
                .put("task_id", taskId.toString())
                .put("type", type)
                .put("queue", queue)
                .put("strategy", strategy);
        if (identity != null) {
            json.put("tenant", identity.tenant())
                    .put("scope", identity.scopeKind().word())
                    .put("scope_name", identity.scopeName())
                    .put("key", identity.key());
        }
        json.put(
                "input_hash",
                Optional.ofNullable(inputHash).map(InputHash::toString).orElse(null));
        if (record != null) {
            json.raw("record", recordJson(record));
        }
        if (difference != null) {
            json.raw("same_type", Boolean.toString(difference.sameType()))
                    .raw("same_input", Boolean.toString(difference.sameInput()))
                    .strings("differing_paths", difference.paths());
        }
        return json.put("policy", policy == null ? null : policy.text())
                .put("rule", rule)
                .put("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .strings("sentences", sentences())
                .toString();
    }

    private static String recordJson(KeyRecord record) {
        return new JsonObject()
                .put("task_id", record.taskId().toString())
                .put("type", record.type())
                .put("state", record.state().word())
                .raw("run", Integer.toString(record.run()))
                .put("lineage", record.lineage().toString())
                .put("created_at", record.createdAt().toString())
                .put("expires_at", record.expiresAt().toString())
                .raw("window_passed", Boolean.toString(record.windowPassed()))
                .put("finished_at", text(record.finishedAt()))
                .raw("data_gone", Boolean.toString(record.dataGone()))
                .put("input_hash", record.inputHash().toString())
                .raw("duplicates", Long.toString(record.duplicates()))
                .put("last_duplicate_at", text(record.lastDuplicateAt()))
                .toString();
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    /** A writer of one JSON object, member by member. */
    private static final class JsonObject {

        private final StringBuilder text = new StringBuilder("{");

        JsonObject put(String name, @Nullable String value) {
            return raw(name, value == null ? "null" : Json.quoted(value));
        }

        JsonObject strings(String name, List<String> values) {
            return raw(
                    name,
                    "[" + String.join(",", values.stream().map(Json::quoted).toList()) + "]");
        }

        JsonObject raw(String name, String json) {
            text.append(text.length() == 1 ? "" : ",")
                    .append(Json.quoted(name))
                    .append(':')
                    .append(json);
            return this;
        }

        @Override
        public String toString() {
            return text + "}";
        }
    }
}
