package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalJsonTest {

    private static String canonical(String text, String... leftOut) {
        return Json.parse(text)
                .canonical(Stream.of(leftOut).map(JsonPointer::new).toList());
    }

    @Test
    void the_example_of_rfc_8785_section_3_2_2_differs_only_in_the_number_that_no_double_can_hold() {
        String sample = """
            {
              "numbers": [333333333.33333329, 1E30, 4.50,
                          2e-3, 0.000000000000000000000000001],
              "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
              "literals": [null, true, false]
            }
            """;
        assertThat(canonical(sample))
                .isEqualTo("{\"literals\":[null,true,false],"
                        + "\"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],"
                        + "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    }

    @Test
    void the_example_of_rfc_8785_section_3_2_3_sorts_by_utf_16_code_units() {
        String sample = """
            {
              "\\u20ac": "Euro Sign",
              "\\r": "Carriage Return",
              "\\ufb33": "Hebrew Letter Dalet With Dagesh",
              "1": "One",
              "\\ud83d\\ude00": "Emoji: Grinning Face",
              "\\u0080": "Control",
              "\\u00f6": "Latin Small Letter O With Diaeresis"
            }
            """;
        assertThat(canonical(sample))
                .isEqualTo("{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                        + "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\","
                        + "\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
    }

    /** Appendix B of RFC 8785, without NaN, infinity and minus zero. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "5e-324",
                "-5e-324",
                "1.7976931348623157e+308",
                "-1.7976931348623157e+308",
                "9007199254740992",
                "-9007199254740992",
                "295147905179352830000",
                "9.999999999999997e+22",
                "1e+23",
                "1.0000000000000001e+23",
                "999999999999999700000",
                "999999999999999900000",
                "1e+21",
                "9.999999999999997e-7",
                "0.000001",
                "333333333.3333332",
                "333333333.33333325",
                "333333333.3333333",
                "333333333.3333334",
                "333333333.33333343",
                "-0.0000033333333333333333",
                "1424953923781206.2"
            })
    void the_numbers_of_rfc_8785_appendix_b_are_canonical_already(String number) {
        assertThat(canonical(number)).isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource({
        "-0, 0",
        "0.0, 0",
        "-0.000e-3, 0",
        "0e5, 0",
        "0e99999999999999999999, 0",
        "1.0, 1",
        "-1.50, -1.5",
        "1e2, 100",
        "1E+2, 100",
        "1e02, 100",
        "100e-2, 1",
        "0.01e2, 1",
        "12.34e1, 123.4",
        "9007199254740993, 9007199254740993",
        "9007199254740993.000, 9007199254740993",
        "0.1000000000000000055511151231257827, 0.1000000000000000055511151231257827",
        "1e20, 100000000000000000000",
        "1e21, 1e+21",
        "123456789012345678901, 123456789012345678901",
        "1234567890123456789012, 1.234567890123456789012e+21",
        "1234567890123456789012.5, 1.2345678901234567890125e+21",
        "123456789012345678901.55, 123456789012345678901.55",
        "1000000000000000000000, 1e+21",
        "0.000001, 0.000001",
        "0.00000123, 0.00000123",
        "1e-7, 1e-7",
        "0.000000123, 1.23e-7",
        "1e400, 1e+400",
        "1e2147483647, 1e+2147483647",
        "-1e-2147483647, -1e-2147483647",
        "0.1e2147483648, 1e+2147483647",
    })
    void a_number_keeps_its_exact_value_in_one_spelling(String literal, String canonical) {
        assertThat(canonical(literal)).isEqualTo(canonical);
        assertThat(canonical(canonical)).isEqualTo(canonical);
    }

    @Test
    void integers_beyond_2_to_the_53_do_not_fall_together() {
        assertThat(canonical("9007199254740992")).isNotEqualTo(canonical("9007199254740993"));
    }

    @Test
    void shortest_literals_of_random_doubles_have_the_layout_of_ecmascript() {
        Random random = new Random(8785);
        for (int i = 0; i < 100_000; i++) {
            // Half of the exponents are arbitrary, half of them are near the points where the layout changes.
            double number = i % 2 == 0
                    ? Double.longBitsToDouble(random.nextLong())
                    : random.nextGaussian() * Math.pow(10, random.nextInt(-10, 25));
            if (Double.isFinite(number)) {
                String literal = Double.toString(number);
                assertThat(canonical(literal)).isEqualTo(JsonDocuments.canonicalNumber(new BigDecimal(literal)));
                assertThat(Double.parseDouble(canonical(literal))).isEqualTo(number + 0.0);
            }
        }
    }

    @Test
    void random_spellings_of_random_decimals_have_the_layout_of_ecmascript() {
        Random random = new Random(6901);
        JsonDocuments documents = new JsonDocuments(8259);
        for (int i = 0; i < 50_000; i++) {
            BigDecimal number = BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), random.nextInt(-30, 60));
            String literal = documents.spelledNumber(number);
            assertThat(canonical(literal)).as(literal).isEqualTo(JsonDocuments.canonicalNumber(number));
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void a_number_of_a_mebibyte_takes_linear_time() {
        int size = Json.MAX_BYTES;
        assertThat(canonical("7".repeat(size))).hasSize(size + ".e+1048575".length());
        assertThat(canonical("0." + "7".repeat(size - 2))).hasSize(size);
        assertThat(canonical("1" + "0".repeat(size - 1))).isEqualTo("1e+1048575");
        assertThat(canonical("0." + "0".repeat(size - 3) + "1")).isEqualTo("1e-1048574");
        assertThat(canonical("1e-" + "0".repeat(size - 4) + "1")).isEqualTo("0.1");
        assertThat(canonical("1." + "0".repeat(size - 10) + "e+999999")).isEqualTo("1e+999999");
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void many_small_literals_with_huge_exponents_stay_small() {
        String text = "[" + "1e2147483647,".repeat(80_000) + "0]";
        assertThat(canonical(text)).hasSize(text.length() + 80_000);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void a_string_of_a_mebibyte_takes_linear_time() {
        String plain = "\"" + "a".repeat(Json.MAX_BYTES - 2) + "\"";
        assertThat(canonical(plain)).isEqualTo(plain);
        assertThat(canonical("\"" + "\\u0001".repeat(170_000) + "\"")).hasSize(6 * 170_000 + 2);
        assertThat(canonical("\"" + "\\ud83d\\ude00".repeat(80_000) + "\"")).hasSize(2 * 80_000 + 2);
    }

    @Test
    void the_order_of_members_and_white_space_make_no_difference() {
        assertThat(canonical(" {\n\"b\" : 1 ,\t\"a\":[ 1 , 2 ]\r\n}")).isEqualTo("{\"a\":[1,2],\"b\":1}");
    }

    @Test
    void the_order_of_elements_does() {
        assertThat(canonical("[2,1]")).isEqualTo("[2,1]");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "\"\\u0041\", \"A\"",
                "\"\\/\", \"/\"",
                "\"\\u002F\", \"/\"",
                "\"\\u0022\\u005C\", \"\\\"\\\\\"",
                "\"\\u0008\\u0009\\u000A\\u000C\\u000D\", \"\\b\\t\\n\\f\\r\"",
                "\"\\u0000\\u001F\", \"\\u0000\\u001f\"",
                "\"\\u007f\", \"\u007f\"",
                "\"\\u2028\", \"\u2028\"",
                "\"\\uD83D\\uDE00\", \"😀\"",
                "{\"\\u0061\":1}, {\"a\":1}",
            })
    void a_string_has_one_spelling(String text, String canonical) {
        assertThat(canonical(text)).isEqualTo(canonical);
    }

    @Test
    void a_string_is_no_number_and_no_word() {
        assertThat(canonical("[\"1\",1,\"null\",null,\"true\",true]"))
                .isEqualTo("[\"1\",1,\"null\",null,\"true\",true]");
    }

    @Test
    void unicode_is_not_normalized() {
        assertThat(canonical("\"\\u00e9\"")).isNotEqualTo(canonical("\"e\\u0301\""));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"a\":null}`, `{}`",
                "`{\"a\":null,\"b\":1,\"c\":null}`, `{\"b\":1}`",
                "`{\"a\":{\"b\":null}}`, `{\"a\":{}}`",
                "`[{\"a\":null}]`, `[{}]`",
                "`[null]`, `[null]`",
                "`{\"a\":[null,1,null]}`, `{\"a\":[null,1,null]}`",
                "null, null",
            })
    void a_member_that_is_null_is_absent_and_an_element_that_is_null_stays(String text, String canonical) {
        assertThat(canonical(text)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"a\":1,\"b\":2}`, /a, `{\"b\":2}`",
                "`{\"a\":1}`, /a, `{}`",
                "`{\"a\":{\"b\":1,\"c\":2},\"b\":3}`, /a/b, `{\"a\":{\"c\":2},\"b\":3}`",
                "`{\"a\":{\"b\":1}}`, /a/b, `{\"a\":{}}`",
                "`{\"a\":{\"b\":1}}`, /a, `{}`",
                "`[1,2,3]`, /1, `[1,3]`",
                "`[1]`, /0, `[]`",
                "`[null,1]`, /0, `[1]`",
                "`{\"a\":[{\"t\":1,\"x\":2},{\"t\":3}]}`, /a/0/t, `{\"a\":[{\"x\":2},{\"t\":3}]}`",
                "`{\"a/b\":1,\"a\":{\"b\":2}}`, /a~1b, `{\"a\":{\"b\":2}}`",
                "`{\"m~n\":1,\"~1\":2}`, /m~0n, `{\"~1\":2}`",
                "`{\"~1\":2,\"/\":3}`, /~01, `{\"/\":3}`",
                "`{\"\":1,\"a\":2}`, /, `{\"a\":2}`",
                "`{\"\":{\"\":1},\"a\":2}`, //, `{\"\":{},\"a\":2}`",
                "`{\"1\":1,\"0\":0}`, /1, `{\"0\":0}`",
            })
    void a_field_that_is_left_out_does_not_count(String text, String leftOut, String canonical) {
        assertThat(canonical(text, leftOut)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/x",
                "/a/x",
                "/a/0/x",
                "/a/2",
                "/a/-",
                "/a/00",
                "/a/01",
                "/a/+1",
                "/b/0",
                "/b/c",
                "/a/99999999999"
            })
    void leaving_out_what_is_not_there_is_no_error_and_changes_nothing(String leftOut) {
        assertThat(canonical("{\"a\":[1,2],\"b\":\"c\"}", leftOut)).isEqualTo("{\"a\":[1,2],\"b\":\"c\"}");
    }

    @Test
    void several_fields_are_left_out_at_once_and_each_index_counts_in_the_array_as_it_is() {
        assertThat(canonical("{\"a\":[0,1,2,3],\"b\":1,\"c\":{\"d\":1,\"e\":2}}", "/a/1", "/a/2", "/c/d", "/b", "/b"))
                .isEqualTo("{\"a\":[0,3],\"c\":{\"e\":2}}");
        assertThat(canonical("{\"a\":{\"b\":1},\"c\":1}", "/a/b", "/a")).isEqualTo("{\"c\":1}");
    }

    @Test
    void the_whole_document_cannot_be_left_out() {
        Json json = Json.parse("{}");
        List<JsonPointer> everything = List.of(new JsonPointer(""));
        assertThatThrownBy(() -> json.canonical(everything))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("all inputs would be equal");
        assertThatThrownBy(() -> Json.differingPaths(json, json, everything)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> InputHash.of(json, everything)).isInstanceOf(InvalidInput.class);
    }
}
