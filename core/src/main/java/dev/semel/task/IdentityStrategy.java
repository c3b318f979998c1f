package dev.semel.task;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The way in which the key of a submission is derived when the caller gives none. */
public sealed interface IdentityStrategy {

    /** Derives the key from the task type and the whole input, without the fields that the type excludes. */
    record Strict() implements IdentityStrategy {}

    /**
     * Derives the key from the task type and selected fields of the input. Only these fields are compared when a key is
     * used again.
     *
     * @param fields the selected fields; each must be present and not null
     */
    record Contextual(List<JsonPointer> fields) implements IdentityStrategy {

        /** Checks that there is at least one field. */
        public Contextual {
            Limits.notNull("list of fields", fields).forEach(field -> Limits.notNull("field", field));
            fields = List.copyOf(fields);
            if (fields.isEmpty()) {
                throw new InvalidInput("The contextual identity strategy needs at least one field. Name one by a JSON"
                        + " pointer such as \"/customer\", or use strict.");
            }
        }
    }

    /** Requires a key from the caller with every submission. */
    record CallerProvided() implements IdentityStrategy {}

    /** Makes every submission a new task, without a key and without a record. */
    record AlwaysUnique() implements IdentityStrategy {}

    /**
     * Derives the key with a user-defined function.
     *
     * @param function from the input object to the key; null or empty means no key
     */
    record Custom(Function<Object, @Nullable String> function) implements IdentityStrategy {

        /** Checks that there is a function. */
        public Custom {
            Limits.notNull("function from the input to the key", function);
        }
    }

    /** {@return the strategy that derives the key from the whole input} */
    static IdentityStrategy strict() {
        return new Strict();
    }

    /**
     * Returns the strategy that derives the key from selected fields.
     *
     * @param pointers JSON pointers to the fields, for example {@code "/customer"}
     * @return the strategy
     */
    static IdentityStrategy contextual(String... pointers) {
        return new Contextual(Arrays.stream(pointers).map(JsonPointer::new).toList());
    }

    /** {@return the strategy that requires a key from the caller} */
    static IdentityStrategy callerProvided() {
        return new CallerProvided();
    }

    /** {@return the strategy without keys, which is the default} */
    static IdentityStrategy alwaysUnique() {
        return new AlwaysUnique();
    }

    /**
     * Returns the word for this strategy in configuration and explanations.
     *
     * @return for example {@code caller_provided}
     */
    default String word() {
        return switch (this) {
            case Strict s -> "strict";
            case Contextual c -> "contextual";
            case CallerProvided c -> "caller_provided";
            case AlwaysUnique a -> "always_unique";
            case Custom c -> "custom";
        };
    }

    /**
     * Derives the key of a submission to which the caller gave none.
     *
     * @param type the name of the task type
     * @param input the input object, for a {@link Custom} function
     * @param document supplies the input as JSON; called only by the strategies that hash it
     * @param leftOut the fields that the type excludes from its hash
     * @return the key, or null if the submission has none
     * @throws InvalidInput if the input lacks what the strategy needs
     */
    default @Nullable String key(String type, Object input, Supplier<Json> document, List<JsonPointer> leftOut) {
        return switch (this) {
            case AlwaysUnique unique -> null;
            // The prefixes keep a derived key from colliding with a caller's key in the same scope.
            case Strict strict -> "strict:" + InputHash.of(document.get(), leftOut) + ":" + type;
            case Contextual(List<JsonPointer> fields) ->
                "contextual:" + InputHash.ofFields(document.get(), fields) + ":" + type;
            case CallerProvided provided ->
                throw new InvalidInput("Task type \"" + type + "\" needs an idempotency key with every submission"
                        + " (identity strategy caller_provided), but got none. Give one, or choose another strategy.");
            case Custom(var function) -> customKey(type, function, input);
        };
    }

    private static @Nullable String customKey(String type, Function<Object, @Nullable String> function, Object input) {
        String made;
        try {
            made = function.apply(input);
        } catch (RuntimeException e) {
            // Not treated as "no key": that would silently make every submission unique.
            throw new InvalidInput(
                    "The key function of task type \"" + type + "\" failed with "
                            + e.getClass().getName() + ". Fix the function, or give a key with the submission.",
                    e);
        }
        return made == null || made.isEmpty() ? null : Limits.key(made);
    }

    /**
     * Hashes the part of the input that is compared when a key is used again: the selected fields for
     * {@link Contextual}, otherwise the whole input without the fields that the type excludes.
     *
     * @param document the input
     * @param leftOut the excluded fields
     * @return the hash
     */
    default InputHash inputHash(Json document, List<JsonPointer> leftOut) {
        return this instanceof Contextual contextual
                ? InputHash.ofFields(document, contextual.fields())
                : InputHash.of(document, leftOut);
    }
}
