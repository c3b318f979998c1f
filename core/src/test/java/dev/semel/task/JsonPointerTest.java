package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPointerTest {

    /** The document and the table of RFC 6901, section 5. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "/foo, `[\"bar\",\"baz\"]`",
                "/foo/0, \"bar\"",
                "/, 0",
                "/a~1b, 1",
                "/c%d, 2",
                "/e^f, 3",
                "/g|h, 4",
                "/i\\j, 5",
                "/k\"l, 6",
                "`/ `, 7",
                "/m~0n, 8",
            })
    void the_examples_of_rfc_6901_find_what_the_rfc_says(String pointer, String value) {
        Json json = Json.parse("""
            {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\\\j": 5, "k\\"l": 6, " ": 7,
             "m~n": 8}
            """);
        assertThat(json.at(new JsonPointer(pointer))).map(Json::text).hasValue(value);
    }

    @Test
    void tokens_are_plain_names() {
        assertThat(new JsonPointer("").tokens()).isEmpty();
        assertThat(new JsonPointer("/").tokens()).containsExactly("");
        assertThat(new JsonPointer("//").tokens()).containsExactly("", "");
        assertThat(new JsonPointer("/a/").tokens()).containsExactly("a", "");
        assertThat(new JsonPointer("/a/0/b").tokens()).containsExactly("a", "0", "b");
        assertThat(new JsonPointer("/a~1b/m~0n/~01/~10/~0~1").tokens()).containsExactly("a/b", "m~n", "~1", "/0", "~/");
    }

    @Test
    void a_pointer_made_of_names_escapes_them() {
        assertThat(JsonPointer.of().text()).isEmpty();
        assertThat(JsonPointer.of("").text()).isEqualTo("/");
        assertThat(JsonPointer.of("a/b", "m~n", "~1", "0").text()).isEqualTo("/a~1b/m~0n/~01/0");
    }

    @Test
    void any_names_come_back_as_they_were() {
        Random random = new Random(6901);
        for (int i = 0; i < 10_000; i++) {
            String[] names = new String[random.nextInt(5)];
            for (int n = 0; n < names.length; n++) {
                StringBuilder name = new StringBuilder();
                random.ints(random.nextInt(6), 0, 6).forEach(c -> name.append("/~01aé".charAt(c)));
                names[n] = name.toString();
            }
            assertThat(JsonPointer.of(names).tokens()).isEqualTo(List.of(names));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", " /a", "#/a", "~0", "0"})
    void a_pointer_that_does_not_begin_with_a_slash_is_refused(String text) {
        assertThatThrownBy(() -> new JsonPointer(text))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"" + text + "\"")
                .hasMessageContaining("begins with \"/\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/~", "/a~", "/~2", "/a/~b", "/~0~", "/~~0", "/~/0"})
    void a_tilde_without_0_or_1_is_refused(String text) {
        assertThatThrownBy(() -> new JsonPointer(text))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"" + text + "\"")
                .hasMessageContaining("Write \"~0\" for \"~\"");
    }

    @Test
    void half_of_a_surrogate_pair_is_refused() {
        assertThatThrownBy(() -> new JsonPointer("/a\ud83d"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("position 2");
        assertThat(new JsonPointer("/😀").tokens()).containsExactly("😀");
    }

    @Test
    void pointers_are_equal_if_their_texts_are() {
        assertThat(new JsonPointer("/a~1b"))
                .isEqualTo(JsonPointer.of("a/b"))
                .hasSameHashCodeAs(JsonPointer.of("a/b"))
                .isNotEqualTo(JsonPointer.of("a", "b"))
                .hasToString("/a~1b");
    }
}
