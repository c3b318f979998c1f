package dev.semel.task;

import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import java.util.ArrayList;
import java.util.List;

/**
 * The decision as a table: every state, every rule that can be set for it, with the same and with different input.
 *
 * <p>Each cell is computed by {@link Decision#decide} when the table is printed; no cell is written by hand.
 */
public final class DecisionTable {

    private static final Decision.Request REQUEST = new Decision.Request("charge", hash(1));

    private DecisionTable() {}

    /**
     * Returns the table in Markdown.
     *
     * @return lines, each terminated by a line feed
     */
    public static String markdown() {
        StringBuilder table = new StringBuilder()
                .append("| existing task | rule | same input | other input: CONFLICT | other input: WARN | other"
                        + " input: IGNORE |\n")
                .append("|---|---|---|---|---|---|\n");
        table.append("| none | | CREATE | CREATE | CREATE | CREATE |\n");
        for (TaskState state : TaskState.values()) {
            for (String rule : rules(state)) {
                row(table, state, rule, false);
            }
        }
        for (TaskState state : TaskState.values()) {
            row(table, state, rules(state).getFirst(), true);
        }
        return table.toString();
    }

    private static void row(StringBuilder table, TaskState state, String rule, boolean windowPassed) {
        table.append("| ").append(state.word()).append(windowPassed ? ", window passed" : "");
        table.append(" | ").append(windowPassed && !state.isOpen() ? "any" : rule);
        table.append(" | ").append(cell(state, rule, true, OtherInput.CONFLICT, windowPassed));
        for (OtherInput other : OtherInput.values()) {
            table.append(" | ").append(cell(state, rule, false, other, windowPassed));
        }
        table.append(" |\n");
    }

    private static List<String> rules(TaskState state) {
        List<String> rules = new ArrayList<>();
        for (Enum<?> rule : state.isOpen() ? WhileOpen.values() : AfterEnd.values()) {
            rules.add(rule.name());
        }
        return rules;
    }

    private static String cell(
            TaskState state, String rule, boolean sameInput, OtherInput other, boolean windowPassed) {
        ReusePolicy policy = ReusePolicy.of(
                        state.isOpen() ? WhileOpen.valueOf(rule) : WhileOpen.RETURN,
                        state.isOpen() ? AfterEnd.RETURN : AfterEnd.valueOf(rule),
                        state.isOpen() ? AfterEnd.RETURN : AfterEnd.valueOf(rule))
                .onOtherInput(other);
        Decision.Existing existing =
                new Decision.Existing("charge", sameInput ? hash(1) : hash(2), state, 1, windowPassed);
        return word(Decision.decide(existing, REQUEST, policy));
    }

    private static String word(Decision decision) {
        return switch (decision) {
            case Decision.Return(boolean differs) -> differs ? "RETURN, with a warning" : "RETURN";
            case Decision.Reject(boolean differs) -> differs ? "REJECT, with a warning" : "REJECT";
            case Decision.Rerun(int run, boolean sameLineage) ->
                "RERUN as run " + run + (sameLineage ? ", same lineage" : ", new lineage");
            case Decision.Replace(int run) -> "REPLACE as run " + run;
            case Decision.Create create -> "CREATE";
            case Decision.Conflict conflict -> "CONFLICT";
        };
    }

    private static InputHash hash(int fill) {
        byte[] bytes = new byte[32];
        bytes[31] = (byte) fill;
        return InputHash.ofBytes(bytes);
    }
}
