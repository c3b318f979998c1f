package dev.semel.guard;

import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.JsonPointer;
import dev.semel.task.Limits;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A function that extracts the key from an input. Users can write their own; the static methods return the usual ones.
 *
 * <p>An extractor that cannot find a key throws, and the call fails: if a malformed input had no key, every malformed
 * input would run unguarded. An extractor returns null or the empty string only to run the effect without a guard on
 * purpose.
 *
 * @param <I> the class of the input
 */
@FunctionalInterface
public interface KeyExtractor<I> {

    /**
     * Extracts the key.
     *
     * @param input the input
     * @return the key; if it is null or empty, the effect runs without a guard. Any other blank key is an error
     */
    @Nullable
    String key(I input);

    /**
     * Returns an extractor that derives the key from selected fields of the input's JSON form. Each field must be
     * present and not null.
     *
     * @param pointers JSON pointers to the fields, for example {@code "/order"}
     * @param <I> the class of the input; {@link Json} is used as it is, any other object is encoded as JSON first
     * @return the extractor; its keys begin with {@code fields:}
     * @throws InvalidInput if there are no fields
     */
    static <I> KeyExtractor<I> fields(String... pointers) {
        List<JsonPointer> fields =
                List.of(pointers).stream().map(JsonPointer::new).toList();
        if (fields.isEmpty()) {
            throw new InvalidInput(
                    "An extractor of selected fields needs at least one field, but got none: all inputs would have"
                            + " the same key. Name a field by a JSON pointer, such as \"/order\".");
        }
        return input -> "fields:" + InputHash.ofFields(json(input), fields);
    }

    /**
     * Returns an extractor that combines a type and an id. They are separated by {@code #}, which is not allowed in a
     * type, so that no two pairs give the same key.
     *
     * @param type the type, for example {@code "order.create"}
     * @param id the function that extracts the id; null, empty or blank is an error
     * @param <I> the class of the input
     * @return the extractor
     */
    static <I> KeyExtractor<I> typeAndId(String type, Function<? super I, ?> id) {
        Limits.name("type", type);
        Function<? super I, ?> given = Arguments.notNull("function of an extractor", id);
        return input -> {
            Object found = given.apply(input);
            if (found == null || found.toString().isBlank()) {
                throw new InvalidInput("The key of \"" + type + "\" needs an id, but the input has none. Send one, or"
                        + " choose another key.");
            }
            return type + "#" + found;
        };
    }

    /**
     * Returns an extractor that hashes the canonical JSON form of the whole input: white space and the order of members
     * make no difference.
     *
     * @param leftOut JSON pointers to the members to ignore, for example {@code "/traceId"}
     * @param <I> the class of the input; {@link Json} is used as it is, any other object is encoded as JSON first
     * @return the extractor; its keys begin with {@code payload:}
     */
    static <I> KeyExtractor<I> payload(String... leftOut) {
        List<JsonPointer> without =
                List.of(leftOut).stream().map(JsonPointer::new).toList();
        return input -> "payload:" + InputHash.of(json(input), without);
    }

    /**
     * Returns this extractor for inputs that have to be converted first, for example from text to {@link Json}.
     *
     * @param before the conversion of the input
     * @param <J> the class of the input
     * @return the extractor
     */
    default <J> KeyExtractor<J> from(Function<? super J, ? extends I> before) {
        Function<? super J, ? extends I> given = Arguments.notNull("function of an extractor", before);
        return input -> key(given.apply(input));
    }

    /**
     * Extracts the key and checks it.
     *
     * @param extractor the extractor
     * @param input the input
     * @param <I> the class of the input
     * @return the key; if it is empty, the effect runs without a guard
     * @throws InvalidInput if the extractor failed or returned a key that is not allowed
     */
    static <I> String keyOf(KeyExtractor<? super I> extractor, I input) {
        String key;
        try {
            key = extractor.key(input);
        } catch (InvalidInput e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InvalidInput(
                    "The key extractor failed with " + e.getClass().getName()
                            + ", so the effect was not run. Fix the extractor, or send an input that it supports.",
                    e);
        }
        return key == null || key.isEmpty() ? "" : Limits.key(key);
    }

    private static Json json(@Nullable Object input) {
        if (input == null) {
            throw new InvalidInput(
                    "A key cannot be derived from a null input: all null inputs would have the same key. Send an"
                            + " input.");
        }
        return input instanceof Json json
                ? json
                : Json.parse(GuardCodec.standard().encode(input));
    }
}
