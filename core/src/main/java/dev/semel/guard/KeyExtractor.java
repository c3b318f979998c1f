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
 * Finds the key in an input. A function of the user's own is one; the static methods make the usual ones.
 *
 * <p>An extractor that cannot find a key throws, and the call fails: if a malformed input had the empty key, every malformed
 * input would run unguarded. The empty text is returned only by whoever means it, and then there is no guarding.
 *
 * @param <I> the class of the input
 */
@FunctionalInterface
public interface KeyExtractor<I> {

    /**
     * Finds the key.
     *
     * @param input the input
     * @return the key; empty for no guarding, never null
     */
    String key(I input);

    /**
     * The extractor that takes chosen fields of the input's JSON form. Each must be there and not null.
     *
     * @param pointers JSON pointers to the fields, for example {@code "/order"}
     * @param <I> the class of the input; {@link Json} is taken as it is, everything else is written as JSON first
     * @return the extractor; its keys begin with {@code fields:}
     * @throws InvalidInput if there are no fields
     */
    static <I> KeyExtractor<I> fields(String... pointers) {
        List<JsonPointer> fields =
                List.of(pointers).stream().map(JsonPointer::new).toList();
        if (fields.isEmpty()) {
            throw new InvalidInput("An extractor of chosen fields needs at least one field, but got none: all inputs"
                    + " would have the same key. Name one by a JSON pointer, such as \"/order\".");
        }
        return input -> "fields:" + InputHash.ofFields(json(input), fields);
    }

    /**
     * The extractor that takes a type and an id. Between them stands {@code #}, which no type can have, so that no two
     * pairs give the same key.
     *
     * @param type what the id is an id of, for example {@code "order.create"}
     * @param id finds the id; null or empty is an error
     * @param <I> the class of the input
     * @return the extractor
     */
    static <I> KeyExtractor<I> typeAndId(String type, Function<? super I, ?> id) {
        Limits.name("type", type);
        Function<? super I, ?> given = Given.notNull("function of an extractor", id);
        return input -> {
            Object found = given.apply(input);
            if (found == null || found.toString().isEmpty()) {
                throw new InvalidInput("The key of \"" + type + "\" needs an id, but the input has none. Send one, or"
                        + " choose another key.");
            }
            return type + "#" + found;
        };
    }

    /**
     * The extractor that takes the hash of the whole input's JSON form, by its meaning: white space and the order of
     * members make no difference.
     *
     * @param leftOut JSON pointers to the members that do not count, for example {@code "/traceId"}
     * @param <I> the class of the input; {@link Json} is taken as it is, everything else is written as JSON first
     * @return the extractor; its keys begin with {@code payload:}
     */
    static <I> KeyExtractor<I> payload(String... leftOut) {
        List<JsonPointer> without =
                List.of(leftOut).stream().map(JsonPointer::new).toList();
        return input -> "payload:" + InputHash.of(json(input), without);
    }

    /**
     * This extractor for inputs that have to be turned into another thing first, for example text into {@link Json}.
     *
     * @param before turns the input into what this extractor takes
     * @param <J> the class of the input
     * @return the extractor
     */
    default <J> KeyExtractor<J> from(Function<? super J, ? extends I> before) {
        Function<? super J, ? extends I> given = Given.notNull("function of an extractor", before);
        return input -> key(given.apply(input));
    }

    /**
     * Finds the key, and says what went wrong if there is none.
     *
     * @param extractor the extractor
     * @param input the input
     * @param <I> the class of the input
     * @return the key; empty for no guarding
     * @throws InvalidInput if the extractor failed or gave null
     */
    static <I> String keyOf(KeyExtractor<? super I> extractor, I input) {
        String key;
        try {
            key = extractor.key(input);
        } catch (InvalidInput e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InvalidInput(
                    "The key extractor failed with " + e.getClass().getName() + ", so the effect was not run. Mend it,"
                            + " or send an input that it understands.",
                    e);
        }
        if (key == null) {
            throw new InvalidInput("The key extractor gave null, so the effect was not run. Return the empty text where"
                    + " no guarding is meant.");
        }
        return key;
    }

    private static Json json(@Nullable Object input) {
        if (input == null) {
            throw new InvalidInput("A key cannot be made of null: all inputs without content would have the same one.");
        }
        return input instanceof Json json
                ? json
                : Json.parse(GuardCodec.standard().encode(input));
    }
}
