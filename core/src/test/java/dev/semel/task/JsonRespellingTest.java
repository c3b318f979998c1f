package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Property tests on random documents; a failure names its seed. */
class JsonRespellingTest {

    private static final int DOCUMENTS = 5_000;

    @Test
    void every_spelling_of_a_document_has_the_same_hash() {
        for (long seed = 0; seed < DOCUMENTS; seed++) {
            JsonDocuments documents = new JsonDocuments(seed);
            Object document = documents.document();
            Json one = Json.parse(documents.spelled(document));
            Json other = Json.parse(documents.spelled(document));
            assertThat(one.canonical()).as("seed %d", seed).isEqualTo(JsonDocuments.canonical(document));
            assertThat(InputHash.of(other, List.of())).as("seed %d", seed).isEqualTo(InputHash.of(one, List.of()));
            assertThat(Json.differingPaths(one, other, List.of()))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void any_single_change_alters_the_hash_and_is_the_one_place_that_differs() {
        for (long seed = 0; seed < DOCUMENTS; seed++) {
            JsonDocuments documents = new JsonDocuments(seed);
            Object document = documents.document();
            Json before = Json.parse(documents.spelled(document));
            Json after = Json.parse(documents.spelled(documents.changed(document)));
            assertThat(InputHash.of(after, List.of()))
                    .as("seed %d", seed)
                    .isNotEqualTo(InputHash.of(before, List.of()));
            assertThat(Json.differingPaths(before, after, List.of()))
                    .as("seed %d", seed)
                    .hasSize(1);
        }
    }

    @Test
    void the_canonical_form_is_a_spelling_of_the_document_and_its_own_canonical_form() {
        for (long seed = 0; seed < DOCUMENTS; seed++) {
            JsonDocuments documents = new JsonDocuments(seed);
            String canonical =
                    Json.parse(documents.spelled(documents.document())).canonical();
            assertThat(Json.parse(canonical).canonical()).as("seed %d", seed).isEqualTo(canonical);
        }
    }

    @Test
    void differing_paths_are_empty_exactly_if_the_canonical_forms_are_equal() {
        int equal = 0;
        for (long seed = 0; seed < DOCUMENTS; seed++) {
            JsonDocuments documents = new JsonDocuments(seed);
            Object document = documents.document();
            Object changed = documents.changed(documents.changed(document));
            List<JsonPointer> leftOut = List.of(anyPlace(document, seed), anyPlace(changed, seed + 1));
            Json before = Json.parse(documents.spelled(document));
            Json after = Json.parse(documents.spelled(changed));
            boolean isEqual = before.canonical(leftOut).equals(after.canonical(leftOut));
            equal += isEqual ? 1 : 0;
            assertThat(Json.differingPaths(before, after, leftOut).isEmpty())
                    .as("seed %d", seed)
                    .isEqualTo(isEqual);
        }
        assertThat(equal).as("documents that were equal").isBetween(100, DOCUMENTS - 100);
    }

    @Test
    void leaving_a_place_out_is_the_same_as_a_document_without_it() {
        for (long seed = 0; seed < DOCUMENTS; seed++) {
            JsonDocuments documents = new JsonDocuments(seed);
            Object document = documents.document();
            JsonPointer place = anyPlace(document, seed);
            String without = Json.parse(documents.spelled(document)).canonical(List.of(place));
            assertThat(without)
                    .as("seed %d without %s", seed, place)
                    .isEqualTo(JsonDocuments.canonical(without(document, place.tokens())));
        }
    }

    @Test
    void the_part_at_a_place_means_what_it_means_in_the_document() {
        for (long seed = 0; seed < DOCUMENTS; seed++) {
            JsonDocuments documents = new JsonDocuments(seed);
            Object document = documents.document();
            JsonPointer place = anyPlace(document, seed);
            Object expected = at(document, place.tokens());
            assertThat(Json.parse(documents.spelled(document)).at(place).map(Json::canonical))
                    .as("seed %d at %s", seed, place)
                    .isEqualTo(Optional.ofNullable(expected).map(JsonDocuments::canonical));
        }
    }

    /** Returns a pointer to a random value below the root, or to an absent value if there is none. */
    private static JsonPointer anyPlace(@Nullable Object document, long seed) {
        Random random = new Random(seed);
        List<String> tokens = new ArrayList<>();
        Object place = document;
        do {
            if (place instanceof Map<?, ?> members && !members.isEmpty()) {
                String name = (String) List.copyOf(members.keySet()).get(random.nextInt(members.size()));
                tokens.add(name);
                place = members.get(name);
            } else if (place instanceof List<?> elements && !elements.isEmpty()) {
                int index = random.nextInt(elements.size());
                tokens.add(Integer.toString(index));
                place = elements.get(index);
            } else {
                tokens.add("nowhere");
                break;
            }
        } while (random.nextInt(3) > 0);
        return JsonPointer.of(tokens.toArray(String[]::new));
    }

    private static @Nullable Object without(@Nullable Object value, List<String> tokens) {
        String token = tokens.getFirst();
        List<String> rest = tokens.subList(1, tokens.size());
        if (value instanceof Map<?, ?> members && members.containsKey(token)) {
            Map<Object, @Nullable Object> copy = new LinkedHashMap<>(members);
            if (rest.isEmpty()) {
                copy.remove(token);
            } else {
                copy.put(token, without(copy.get(token), rest));
            }
            return copy;
        }
        if (value instanceof List<?> elements && token.matches("[0-9]+")) {
            List<@Nullable Object> copy = new ArrayList<>(elements);
            int index = Integer.parseInt(token);
            if (rest.isEmpty()) {
                copy.remove(index);
            } else {
                copy.set(index, without(copy.get(index), rest));
            }
            return copy;
        }
        return value;
    }

    private static @Nullable Object at(@Nullable Object value, List<String> tokens) {
        if (tokens.isEmpty()) {
            return value;
        }
        List<String> rest = tokens.subList(1, tokens.size());
        if (value instanceof Map<?, ?> members) {
            return at(members.get(tokens.getFirst()), rest);
        }
        return value instanceof List<?> elements && tokens.getFirst().matches("[0-9]+")
                ? at(elements.get(Integer.parseInt(tokens.getFirst())), rest)
                : null;
    }
}
