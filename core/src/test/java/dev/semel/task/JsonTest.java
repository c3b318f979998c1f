package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    private static String refusal(String text) {
        Throwable thrown = catchThrowable(() -> Json.parse(text));
        assertThat(thrown).isInstanceOf(InvalidInput.class).hasNoCause();
        return thrown.getMessage();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "false",
                "0",
                "-1.5e+3",
                "\"\"",
                "{}",
                "[]",
                " [ ] ",
                "\t\r\n{\"a\" : [ 1 , {} ] }\n",
                "{\"\":{\"\":1}}"
            })
    void a_valid_document_keeps_its_text(String text) {
        assertThat(Json.parse(text).text()).isSameAs(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[",
                "}",
                "]",
                "[}",
                "{]",
                "[1,]",
                "[,1]",
                "[1,,2]",
                "[1 2]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{,}",
                "{\"a\" 1}",
                "{\"a\":1 \"b\":2}",
                "{1:2}",
                "{a:1}",
                "{'a':1}",
                "'a'",
                "nul",
                "nulll",
                "True",
                "undefined",
                "+1",
                "01",
                "-01",
                "1.",
                ".5",
                "-",
                "1e",
                "1e+",
                "0x10",
                "1_000",
                "\"a",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\\u12\"",
                "\"a\tb\"",
                "\"a\nb\"",
                "\"\u0000\"",
                "// c\n1",
                "/* c */1",
                "# c\n1",
                "\ufeff1",
                "\u00a01",
                "\f1",
                "1\u0000"
            })
    void what_is_not_rfc_8259_is_refused_with_its_place(String text) {
        assertThat(refusal(text)).containsPattern("line \\d+, column \\d+");
    }

    @Test
    void the_place_of_a_broken_grammar_is_named_by_path_line_and_column() {
        assertThat(refusal("{\"a\":\n {\"b\":tru}}"))
                .isEqualTo(
                        "JSON text must follow the grammar of RFC 8259, but this text breaks it near \"/a/b\", line 2,"
                                + " column 7. Fix it there, or generate the text with a JSON library.");
    }

    @Test
    void text_that_is_cut_off_anywhere_is_refused() {
        String whole = "{\"a\":[1,-2.5e3,\"x\\u0041\",{\"b\":null}],\"c\":true}";
        for (int end = 0; end < whole.length(); end++) {
            String cut = whole.substring(0, end);
            assertThatThrownBy(() -> Json.parse(cut)).as(cut).isInstanceOf(InvalidInput.class);
        }
        assertThat(refusal("[1,2")).contains("ends in the middle of a value near \"/1\", line 1, column 5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n\t\r "})
    void empty_text_is_refused(String text) {
        assertThat(refusal(text)).contains("empty or only white space").contains("Send a value");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{} {}", "1 2", "[] x", "[]]", "{}}", "null,", "\"a\"\"b\"", "{}\u0000", "[] NaN"})
    void anything_after_the_value_is_refused(String text) {
        assertThat(refusal(text)).contains("more text follows it at line 1, column");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "+Infinity", "INF", "-INF", "+INF"})
    void numbers_that_are_not_finite_are_refused_with_their_place(String number) {
        assertThat(refusal("{\"a\":[0," + number + "]}"))
                .contains("line 1, column ")
                .contains("\"/a/1\"");
    }

    @Test
    void nan_is_refused_in_words() {
        assertThat(refusal("{\"a\":[0,NaN]}"))
                .isEqualTo(
                        "A JSON number must be finite, but got NaN or infinity at \"/a/1\", line 1, column 9. Send null,"
                                + " or a string.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e2147483648",
                "-1e2147483648",
                "1e-2147483648",
                "10e2147483647",
                "0.1e-2147483647",
                "1e9223372036854775808",
                "1E+99999999999999999999999999",
                "1e-99999999999999999999999999"
            })
    void an_exponent_beyond_an_int_is_refused(String number) {
        assertThat(refusal("{\"a\":" + number + "}"))
                .contains("between -2147483647 and 2147483647", "\"/a\"", "line 1, column 6")
                .doesNotContain(number);
    }

    @Test
    void a_member_given_twice_is_refused_with_its_name_and_the_place_of_its_object() {
        assertThat(refusal("{\"a\":1,\"b\":2,\"a\":1}"))
                .isEqualTo(
                        "Member names of a JSON object are unique, but \"a\" occurs more than once in the object at the"
                                + " root that ends at line 1, column 19. Remove or rename one.");
        assertThat(refusal("{\"x\":[1,{\"y\":{\"n\":1,\n\"n\":null}}]}"))
                .contains("\"n\" occurs more than once in the object at \"/x/1/y\" that ends at line 2, column 9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,\"\\u0061\":2}",
                "{\"/\":1,\"\\/\":2}",
                "{\"\":1,\"\":2}",
                "{\"\\u00e9\":1,\"é\":2}",
                "{\"😀\":1,\"\\ud83d\\ude00\":2}",
                "{\"a\":null,\"a\":null}",
                "[[[{\"b\":{\"a\":1,\"c\":2,\"\\u0061\":1}}]]]",
            })
    void a_member_given_twice_in_different_spellings_is_refused(String text) {
        assertThat(refusal(text)).contains("more than once");
    }

    @Test
    void a_member_given_twice_far_apart_is_refused() {
        StringBuilder text = new StringBuilder("{\"twice\":0");
        for (int i = 0; i < 10_000; i++) {
            text.append(",\"n").append(i).append("\":0");
        }
        assertThatCode(() -> Json.parse(text + "}")).doesNotThrowAnyException();
        assertThat(refusal(text + ",\"twice\":0}")).contains("\"twice\"");
    }

    @Test
    void the_same_name_in_different_objects_is_no_duplicate() {
        assertThatCode(() -> Json.parse("{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]},\"A\":2}"))
                .doesNotThrowAnyException();
    }

    /** Two pairs of letters with the same hash code: in a String (31 a step), and in Jackson's table of names (33). */
    @ParameterizedTest
    @CsvSource({"Aa, BB", "Ab, BA"})
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void names_whose_hash_codes_collide_are_neither_refused_nor_slow(String one, String other) {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < 1 << 14; i++) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 14; bit++) {
                name.append((i & (1 << bit)) == 0 ? one : other);
            }
            members.add("\"" + name + "\":0");
        }
        Json json = Json.parse("{" + String.join(",", members) + "}");
        members.sort(null);
        assertThat(json.canonical()).isEqualTo("{" + String.join(",", members) + "}");
    }

    @Test
    void depth_64_is_taken_and_65_refused() {
        assertThat(Json.MAX_DEPTH).isEqualTo(64);
        for (String[] nest : new String[][] {{"[", "", "]"}, {"{\"a\":", "1", "}"}, {"[{\"a\":", "1", "}]"}}) {
            int step = nest[0].startsWith("[{") ? 2 : 1;
            String deepest = nest[0].repeat(64 / step) + nest[1] + nest[2].repeat(64 / step);
            assertThat(Json.parse(deepest).canonical()).isEqualTo(deepest);
            assertThat(refusal("[" + deepest + "]"))
                    .contains("at most 64 levels deep")
                    .contains("line 1, column ");
        }
        assertThat(Json.parse("[".repeat(64) + "1" + "]".repeat(64)).canonical())
                .hasSize(129);
    }

    @Test
    void very_deep_text_does_not_overflow_the_stack() {
        assertThat(refusal("[".repeat(1_000_000))).contains("at most 64 levels deep");
        assertThat(refusal("{\"a\":".repeat(200_000))).contains("at most 64 levels deep");
    }

    @Test
    void a_document_of_exactly_a_mebibyte_is_taken_and_one_byte_more_refused() {
        assertThat(Json.MAX_BYTES).isEqualTo(1_048_576);
        for (String unit : List.of("a", "é", "€", "😀")) {
            int bytes = unit.getBytes(StandardCharsets.UTF_8).length;
            int room = Json.MAX_BYTES - 2;
            String full = "\"" + unit.repeat(room / bytes) + "a".repeat(room % bytes) + "\"";
            assertThat(full.getBytes(StandardCharsets.UTF_8)).hasSize(Json.MAX_BYTES);
            assertThat(Json.parse(full).canonical()).isEqualTo(full);
            assertThat(refusal(full + " "))
                    .isEqualTo("JSON text has at most 1048576 bytes of UTF-8, but got 1048577. Store the large part"
                            + " elsewhere, and send a reference to it.");
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void no_part_of_a_document_is_too_long_by_itself() {
        String number = "9".repeat(500_000);
        String name = "n".repeat(500_000);
        assertThatCode(() -> Json.parse("{\"a\":" + number + "}")).doesNotThrowAnyException();
        assertThatCode(() -> Json.parse("[-0." + number + "e-5]")).doesNotThrowAnyException();
        assertThatCode(() -> Json.parse("\"" + "s".repeat(900_000) + "\"")).doesNotThrowAnyException();
        assertThatCode(() -> Json.parse("{\"" + name + "\":\"" + name + "\"}")).doesNotThrowAnyException();
        assertThatCode(() -> Json.parse("[" + "0,".repeat(524_286) + "0]")).doesNotThrowAnyException();
        assertThatCode(() -> Json.parse("[" + "[],".repeat(349_000) + "0]")).doesNotThrowAnyException();
        assertThatCode(() -> Json.parse(" ".repeat(1_048_575) + "0")).doesNotThrowAnyException();
    }

    @Test
    void a_refusal_shows_names_but_never_values() {
        String secret = "hunter2";
        for (String text : List.of(
                "{\"password\":\"hunter2\" hunter2}",
                "{\"password\":hunter2}",
                "{\"password\":\"hunter2\\ud800\"}",
                "{\"password\":\"hunter2\",\"password\":\"hunter2\"}",
                "{\"password\":\"hunter2",
                "{\"password\":\"hunter2\"} hunter2",
                "{\"password\":\"hunter2\\q\"}")) {
            assertThat(refusal(text)).doesNotContain(secret);
        }
        assertThat(refusal("{\"password\":4711e99999999999}"))
                .contains("\"/password\"")
                .doesNotContain("4711");
    }

    @Test
    void a_refusal_stays_short_and_on_one_line_whatever_the_names_are() {
        String name = "n\\n".repeat(10_000);
        for (String text : List.of(
                "{\"" + name + "\":1,\"" + name + "\":2}",
                "{\"" + name + "\":NaN}",
                "{\"" + name + "\":tru}",
                "{\"" + name + "\":\"\\udc00\"}")) {
            assertThat(refusal(text)).hasSizeLessThan(400).doesNotContain("\n");
        }
    }

    @Test
    void garbage_is_either_taken_or_refused_and_nothing_else_happens() {
        String alphabet = "{}[]:,\"\\u0aAeE+-.019 \n\ttrufalsn\ud83d\ude00\u0000é/";
        Random random = new Random(8259);
        JsonDocuments documents = new JsonDocuments(8259);
        int taken = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(documents.spelled(documents.document()));
            for (int n = random.nextInt(3); n >= 0; n--) {
                int at = random.nextInt(text.length());
                char c = alphabet.charAt(random.nextInt(alphabet.length()));
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, c);
                    case 1 -> text.insert(at, c);
                    default -> text.deleteCharAt(at).append(c);
                }
            }
            try {
                String canonical = Json.parse(text.toString()).canonical();
                assertThat(Json.parse(canonical).canonical()).isEqualTo(canonical);
                taken++;
            } catch (InvalidInput refused) {
                assertThat(refused.getMessage()).isNotBlank();
            }
        }
        assertThat(taken).isBetween(500, 19_500);
    }

    @Test
    void many_threads_may_parse_at_once() {
        long distinct = IntStream.range(0, 2_000)
                .parallel()
                .mapToObj(i -> Json.parse("{\"n" + i % 50 + "\":[\"" + "x".repeat(i) + "\"," + i + "]}")
                        .canonical())
                .distinct()
                .count();
        assertThat(distinct).isEqualTo(2_000);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`/a`, `{\"c\":null,\"d\":[1.0,\"x\",{}]}`",
                "`/a/d`, `[1.0,\"x\",{}]`",
                "`/a/d/0`, `1.0`",
                "`/a/d/1`, `\"x\"`",
                "`/a/d/2`, `{}`",
                "`/e~1f`, `true`",
                "`/g~0h`, `false`",
                "`/`, `0`",
                "`/0`, `\"zero\"`",
            })
    void the_part_at_a_place_keeps_everything_but_white_space_and_order(String pointer, String text) {
        Json json = Json.parse("{\"0\":\"zero\", \"\":0, \"e/f\":true, \"g~h\":false,"
                + " \"a\": {\"d\": [1.0, \"x\", {}], \"c\": null}}");
        assertThat(json.at(new JsonPointer(pointer))).map(Json::text).hasValue(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/x",
                "/n",
                "/a/2",
                "/a/3",
                "/a/-",
                "/a/00",
                "/a/01",
                "/a/+1",
                "/a/-1",
                "/a/1e0",
                "/a/",
                "/a/٠",
                "/a/4294967296",
                "/a/99999999999999999999",
                "/s/0",
                "/s/length",
                "/t/x",
                "/n/x",
                "/i/0",
                "//"
            })
    void nothing_is_found_where_nothing_or_null_is(String pointer) {
        Json json = Json.parse("{\"a\":[1,2,null],\"n\":null,\"s\":\"text\",\"t\":true,\"i\":1}");
        assertThat(json.at(new JsonPointer(pointer))).isEmpty();
    }

    @Test
    void the_empty_pointer_is_the_whole_document() {
        assertThat(Json.parse("[1]").at(new JsonPointer(""))).map(Json::text).hasValue("[1]");
        assertThat(Json.parse("null").at(new JsonPointer(""))).isEmpty();
    }

    @Test
    void every_member_of_a_large_object_is_found() {
        String members = String.join(
                ",",
                IntStream.range(0, 1_000).mapToObj(i -> "\"n" + i + "\":" + i).toList());
        Json json = Json.parse("{" + members + "}");
        for (int i = 0; i < 1_000; i++) {
            assertThat(json.at(JsonPointer.of("n" + i))).map(Json::text).hasValue(Integer.toString(i));
        }
        assertThat(json.at(JsonPointer.of("n1000"))).isEmpty();
    }

    @Test
    void its_own_text_for_people_does_not_show_the_content() {
        assertThat(Json.parse("\"hunter2\"")).hasToString("Json[9 characters]");
    }
}
