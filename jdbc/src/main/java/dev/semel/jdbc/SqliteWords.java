package dev.semel.jdbc;

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

/** The words for states, outcomes, scopes and effects in the tables, and back; looked up rather than spelled out for each row. */
final class SqliteWords {

    private static final Map<TaskState, String> STATE_WORDS = new EnumMap<>(TaskState.class);
    private static final Map<String, TaskState> STATES = byWord(TaskState.values(), TaskState::word);
    private static final Map<String, Attempt.Outcome> OUTCOMES =
            byWord(Attempt.Outcome.values(), Attempt.Outcome::word);
    private static final Map<String, Scope.Kind> KINDS = byWord(Scope.Kind.values(), Scope.Kind::word);
    private static final Map<String, Known> KNOWN = byWord(Known.values(), SqliteWords::word);
    private static final Map<String, How> HOW = byWord(How.values(), How::word);
    private static final Map<String, Verdict> VERDICTS = byWord(Verdict.values(), Verdict::word);

    static {
        STATES.forEach((word, state) -> STATE_WORDS.put(state, word));
    }

    private SqliteWords() {}

    static String word(TaskState state) {
        return known(STATE_WORDS.get(state), state.name());
    }

    static TaskState state(String word) {
        return known(STATES.get(word), word);
    }

    static Attempt.Outcome outcome(String word) {
        return known(OUTCOMES.get(word), word);
    }

    static Scope.Kind scopeKind(String word) {
        return known(KINDS.get(word), word);
    }

    static String word(Known known) {
        return known.name().toLowerCase(Locale.ROOT);
    }

    static Known known(String word) {
        return known(KNOWN.get(word), word);
    }

    static How how(String word) {
        return known(HOW.get(word), word);
    }

    static Verdict verdict(String word) {
        return known(VERDICTS.get(word), word);
    }

    private static <T> T known(@Nullable T value, String word) {
        if (value == null) {
            throw new IllegalStateException("The store holds a word that this version of Semel does not know: " + word);
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
