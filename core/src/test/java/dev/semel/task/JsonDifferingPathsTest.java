package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonDifferingPathsTest {

    private static List<String> paths(String before, String after, String... leftOut) {
        return Json.differingPaths(
                Json.parse(before),
                Json.parse(after),
                Stream.of(leftOut).map(JsonPointer::new).toList());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"a\":1,\"b\":2}`, `{\"b\":2.0,\"a\":1e0}`",
                "`{\"a\":null}`, `{}`",
                "`{}`, `{\"a\":null}`",
                "`{\"a\":{\"b\":null}}`, `{\"a\":{}}`",
                "`\"\\u0041\"`, `\"A\"`",
                "`[1,[2,null]]`, `[1.0,[2,null]]`",
                "`0`, `-0.0`",
                "null, null",
            })
    void documents_with_one_meaning_do_not_differ(String before, String after) {
        assertThat(paths(before, after)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"a\":1}`, `{\"a\":2}`, `/a`",
                "`{\"a\":1}`, `{\"a\":\"1\"}`, `/a`",
                "`{\"a\":1}`, `{}`, `/a`",
                "`{}`, `{\"a\":1}`, `/a`",
                "`{\"a\":1}`, `{\"a\":null}`, `/a`",
                "`{\"a\":{}}`, `{}`, `/a`",
                "`{\"a\":{}}`, `{\"a\":[]}`, `/a`",
                "`{\"a\":{\"b\":1}}`, `{\"a\":{\"b\":2}}`, `/a/b`",
                "`{\"a\":true}`, `{\"a\":false}`, `/a`",
                "`[1,2,3]`, `[1,5,3]`, `/1`",
                "`[1,2]`, `[1,2,null]`, `/2`",
                "`[{\"a\":[0,{\"b\":1}]}]`, `[{\"a\":[0,{\"b\":2}]}]`, `/0/a/1/b`",
                "`{\"a/b\":1}`, `{\"a/b\":2}`, `/a~1b`",
                "`{\"m~n\":1}`, `{\"m~n\":2}`, `/m~0n`",
                "`{\"\":1}`, `{\"\":2}`, `/`",
                "`{\"\":{\"\":1}}`, `{\"\":{\"\":2}}`, `//`",
                "9007199254740992, 9007199254740993, (root)",
                "`{}`, `[]`, (root)",
                "`1`, `\"1\"`, (root)",
                "`{}`, null, (root)",
            })
    void the_place_that_differs_is_named(String before, String after, String path) {
        assertThat(paths(before, after)).containsExactly(path);
        assertThat(paths(after, before)).containsExactly(path);
    }

    @Test
    void paths_come_in_canonical_order() {
        assertThat(paths(
                        "{\"z\":1,\"a\":{\"y\":1,\"b\":1},\"B\":[1,2,3],\"m\":1}",
                        "{\"m\":2,\"B\":[0,2,0],\"a\":{\"b\":2,\"y\":2,\"c\":3}}"))
                .containsExactly("/B/0", "/B/2", "/a/b", "/a/c", "/a/y", "/m", "/z");
    }

    @Test
    void an_object_that_is_only_on_one_side_is_one_path() {
        assertThat(paths("{\"a\":{\"b\":1,\"c\":2}}", "{}")).containsExactly("/a");
    }

    @Test
    void what_is_left_out_does_not_differ() {
        assertThat(paths("{\"a\":1,\"t\":1}", "{\"a\":1,\"t\":2}", "/t")).isEmpty();
        assertThat(paths("{\"a\":1,\"t\":1}", "{\"a\":1}", "/t")).isEmpty();
        assertThat(paths("{\"a\":[{\"t\":1,\"x\":1}]}", "{\"a\":[{\"t\":2,\"x\":2}]}", "/a/0/t"))
                .containsExactly("/a/0/x");
        assertThat(paths("{\"a\":{\"t\":1}}", "{}", "/a/t")).containsExactly("/a");
    }

    @Test
    void elements_are_named_by_their_index_in_the_array_as_it_is() {
        assertThat(paths("[1,2,3]", "[1,9,3]", "/1")).isEmpty();
        assertThat(paths("[1,2,3]", "[1,2,4]", "/0", "/1")).containsExactly("/2");
        assertThat(paths("[1]", "[1,2]", "/1")).isEmpty();
        assertThat(paths("[1]", "[1,2,3]", "/1")).containsExactly("/2");
    }

    @Test
    void twenty_paths_are_all_shown() {
        assertThat(Json.MAX_PATHS).isEqualTo(20);
        String zeros = "[" + "0,".repeat(19) + "0]";
        String ones = "[" + "1,".repeat(19) + "1]";
        assertThat(paths(zeros, ones))
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> "/" + i).toList());
    }

    @Test
    void of_more_than_twenty_paths_the_first_twenty_are_shown_and_a_mark() {
        for (int more : new int[] {21, 22, 100_000}) {
            List<String> paths = paths("[]", "[" + "1,".repeat(more - 1) + "1]");
            assertThat(paths).hasSize(21).endsWith("/19", "…");
        }
        String members = String.join(
                ",",
                IntStream.range(0, 500)
                        .mapToObj(i -> "\"n" + i + "\":[" + i + "]")
                        .toList());
        assertThat(paths("{" + members + "}", "{}"))
                .hasSize(21)
                .startsWith("/n0", "/n1", "/n10")
                .endsWith("…");
    }

    @Test
    void a_very_long_path_is_cut_between_characters() {
        assertThat(Json.MAX_PATH_LENGTH).isEqualTo(255);
        assertThat(paths("{\"" + "n".repeat(254) + "\":1}", "{}")).containsExactly("/" + "n".repeat(254));
        assertThat(paths("{\"" + "n".repeat(255) + "\":1}", "{}")).containsExactly("/" + "n".repeat(254) + "…");
        assertThat(paths("{\"n" + "😀".repeat(500) + "\":1}", "{}")).containsExactly("/n" + "😀".repeat(126) + "…");
        assertThat(paths("{\"" + "😀".repeat(500) + "\":1}", "{}")).containsExactly("/" + "😀".repeat(127) + "…");
    }

    @Test
    void values_are_never_shown() {
        assertThat(paths("{\"password\":\"hunter2\"}", "{\"password\":\"hunter3\"}")
                        .toString())
                .doesNotContain("hunter");
    }
}
