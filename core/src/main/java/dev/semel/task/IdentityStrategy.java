package dev.semel.task;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How the key of a submission is found when the caller gives none. */
public sealed interface IdentityStrategy {

    /** The key is a hash of the task type and its whole input, less the fields that the type leaves out. */
    record Strict() implements IdentityStrategy {}

    /**
     * The key is a hash of the task type and of chosen fields of the input; the same fields alone are compared when a
     * key comes back with other input.
     *
     * @param fields the chosen fields; each must be there and not null
     */
    record Contextual(List<JsonPointer> fields) implements IdentityStrategy {

        /** Checks that there is something to choose. */
        public Contextual {
            fields = List.copyOf(fields);
            if (fields.isEmpty()) {
                throw new InvalidInput("The contextual identity strategy needs at least one field. Name one by a JSON"
                        + " pointer such as \"/customer\", or use strict.");
            }
        }
    }

    /** The caller must give a key with every submission. */
    record CallerProvided() implements IdentityStrategy {}

    /** Every submission is a new task: there is no record and no cost. */
    record AlwaysUnique() implements IdentityStrategy {}

    /**
     * The key is made by a function of the user's own.
     *
     * @param function from the input object to the key; null or empty means no key
     */
    record Custom(Function<Object, @Nullable String> function) implements IdentityStrategy {}

    /**
     * The strategy that takes the whole input for the key.
     *
     * @return the strategy
     */
    static IdentityStrategy strict() {
        return new Strict();
    }

    /**
     * The strategy that takes chosen fields for the key.
     *
     * @param pointers JSON pointers to the fields, for example {@code "/customer"}
     * @return the strategy
     */
    static IdentityStrategy contextual(String... pointers) {
        return new Contextual(List.of(pointers).stream().map(JsonPointer::new).toList());
    }

    /**
     * The strategy that insists on a key from the caller.
     *
     * @return the strategy
     */
    static IdentityStrategy callerProvided() {
        return new CallerProvided();
    }

    /**
     * The strategy without keys: the default.
     *
     * @return the strategy
     */
    static IdentityStrategy alwaysUnique() {
        return new AlwaysUnique();
    }

    /**
     * The word for this strategy in configuration and explanations.
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
     * Finds the key for a submission to which the caller gave none.
     *
     * @param type the name of the task type
     * @param input the input object, for a {@link Custom} function
     * @param document gives the input as JSON; asked only by the strategies that hash it
     * @param leftOut the fields that the type leaves out of its hash
     * @return the key, or null where the submission has none
     * @throws InvalidInput if the strategy needs something that is not there
     */
    default @Nullable String key(String type, Object input, Supplier<Json> document, List<JsonPointer> leftOut) {
        return switch (this) {
            case AlwaysUnique unique -> null;
            // The prefixes keep a made key from meeting one that a caller gave in the same scope.
            case Strict strict -> "strict:" + InputHash.of(document.get(), leftOut) + ":" + type;
            case Contextual(List<JsonPointer> fields) ->
                "contextual:" + InputHash.ofFields(document.get(), fields) + ":" + type;
            case CallerProvided provided ->
                throw new InvalidInput("Task type \"" + type + "\" needs an idempotency key with every submission"
                        + " (identity strategy caller_provided), but got none. Give one, or choose another strategy.");
            case Custom(var function) -> made(type, function, input);
        };
    }

    private static @Nullable String made(String type, Function<Object, @Nullable String> function, Object input) {
        String made;
        try {
            made = function.apply(input);
        } catch (RuntimeException e) {
            // Never an empty key: that would quietly make every submission unique.
            throw new InvalidInput(
                    "The function that makes the key of task type \"" + type + "\" failed with "
                            + e.getClass().getName() + ". Mend it, or give a key with the submission.",
                    e);
        }
        return made == null || made.isEmpty() ? null : Limits.key(made);
    }

    /**
     * Hashes what is compared when a key comes back: the chosen fields for {@link Contextual}, otherwise the whole input
     * less the fields that the type leaves out.
     *
     * @param document the input
     * @param leftOut the fields left out
     * @return the hash
     */
    default InputHash inputHash(Json document, List<JsonPointer> leftOut) {
        return this instanceof Contextual contextual
                ? InputHash.ofFields(document, contextual.fields())
                : InputHash.of(document, leftOut);
    }
}
