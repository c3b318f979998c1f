package dev.semel.sqlite.sql;

import dev.semel.store.Attempt;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.StoredEffect.Known;
import dev.semel.task.Scope;
import dev.semel.task.TaskState;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** States, outcomes, scopes and effects as the tables spell them. Both directions are maps, because rows are read often. */
public final class StoredEnums {

    private static final Map<TaskState, String> STATE_WORDS = new EnumMap<>(TaskState.class);
    private static final Map<String, TaskState> STATES = byWord(TaskState.values(), TaskState::word);
    private static final Map<String, Attempt.Outcome> OUTCOMES =
            byWord(Attempt.Outcome.values(), Attempt.Outcome::word);
    private static final Map<String, Scope.Kind> KINDS = byWord(Scope.Kind.values(), Scope.Kind::word);
    private static final Map<String, Known> KNOWN = byWord(Known.values(), StoredEnums::word);
    private static final Map<String, How> HOW = byWord(How.values(), How::word);
    private static final Map<String, Verdict> VERDICTS = byWord(Verdict.values(), Verdict::word);

    static {
        STATES.forEach((word, state) -> STATE_WORDS.put(state, word));
    }

    private StoredEnums() {}

    public static String word(TaskState state) {
        return known(STATE_WORDS.get(state), state.name());
    }

    public static TaskState state(String word) {
        return known(STATES.get(word), word);
    }

    public static Attempt.Outcome outcome(String word) {
        return known(OUTCOMES.get(word), word);
    }

    public static Scope.Kind scopeKind(String word) {
        return known(KINDS.get(word), word);
    }

    public static String word(Known known) {
        return known.name().toLowerCase(Locale.ROOT);
    }

    public static Known known(String word) {
        return known(KNOWN.get(word), word);
    }

    public static How how(String word) {
        return known(HOW.get(word), word);
    }

    public static Verdict verdict(String word) {
        return known(VERDICTS.get(word), word);
    }

    private static <T> T known(@Nullable T value, String word) {
        if (value == null) {
            throw new IllegalStateException("The store holds \"" + word
                    + "\", which this version of Semel does not know. Run the version that wrote it, or a later one.");
        }
        return value;
    }

    private static <T> Map<String, T> byWord(T[] values, Function<T, String> word) {
        Map<String, T> words = new HashMap<>();
        for (T value : values) {
            words.put(word.apply(value), value);
        }
        return words;
    }
}
