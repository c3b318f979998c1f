package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.EffectState;
import dev.semel.task.TaskState;
import java.util.HashMap;
import java.util.Map;

/** The colours of states and outcomes. A colour adds no information to the word. */
final class Colors {

    private static final String PLAIN = "\u001b[0m";
    private static final String RED = "\u001b[31m";
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String BLUE = "\u001b[34m";
    private static final String CYAN = "\u001b[36m";
    private static final Map<String, String> COLORS = colors();

    private Colors() {}

    private static Map<String, String> colors() {
        Map<String, String> colors = new HashMap<>();
        for (TaskState state : TaskState.values()) {
            String color = switch (state) {
                case PENDING -> "";
                case RUNNING -> BLUE;
                case WAITING -> CYAN;
                case COMPLETED -> GREEN;
                case CANCELLED -> YELLOW;
                case FAILED, TIMED_OUT -> RED;
            };
            colors.put(state.word(), color);
        }
        for (Attempt.Outcome outcome : Attempt.Outcome.values()) {
            String color = switch (outcome) {
                case COMPLETED -> GREEN;
                case RETRIED, CANCELLED -> YELLOW;
                case FAILED, TIMED_OUT, VANISHED -> RED;
                case PARKED, WAITED -> CYAN;
                case PUT_BACK -> "";
            };
            colors.put(outcome.word(), color);
        }
        for (EffectState state : EffectState.values()) {
            String color = switch (state) {
                case IN_PROGRESS -> BLUE;
                case UNKNOWN -> RED;
                case DONE -> GREEN;
                case NOT_DONE -> YELLOW;
            };
            colors.put(Text.words(state.word()), color);
        }
        return Map.copyOf(colors);
    }

    /** Returns the word in its colour, or unchanged if it has none or colours are off. */
    static String painted(String word, boolean colors) {
        String color = colors ? COLORS.getOrDefault(word, "") : "";
        return color.isEmpty() ? word : color + word + PLAIN;
    }
}
