package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputHashTest {

    private static List<JsonPointer> pointers(String... texts) {
        return Stream.of(texts).map(JsonPointer::new).toList();
    }

    private static InputHash of(String text, String... leftOut) {
        return InputHash.of(Json.parse(text), pointers(leftOut));
    }

    private static InputHash ofFields(String text, String... fields) {
        return InputHash.ofFields(Json.parse(text), pointers(fields));
    }

    /**
     * Pins known hashes, computed with sha256sum. Stored hashes are compared with new ones, so they must never change.
     */
    @Test
    void hashes_stay_what_they_were_in_every_version() {
        assertThat(of("{}")).hasToString("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
        assertThat(of("{ \"a\": 1.0, \"b\": null }"))
                .hasToString("sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862");
        assertThat(of("[1e2,-0,\"\\u20ac\\u000F\",9007199254740993,{\"b\":true,\"a\":[null]}]"))
                .hasToString("sha256:572600af51fc358e206e9086aa38f77b5cd6c753c1d28c20ce23ef97f83bbe27");
        assertThat(ofFields("{\"month\":3.0,\"customer\":\"é\",\"x\":1}", "/month", "/customer"))
                .hasToString("sha256:5993f39424154df83edf808269474be2881aff79f8ac94ee940b8cde3fefafc1");
    }

    @Test
    void it_is_the_sha_256_of_the_canonical_form_in_utf_8() throws Exception {
        Json json = Json.parse("{\"b\":\"€😀\",\"a\":1.50}");
        byte[] expected =
                MessageDigest.getInstance("SHA-256").digest(json.canonical().getBytes(StandardCharsets.UTF_8));
        assertThat(InputHash.of(json, List.of()).bytes()).isEqualTo(expected);
    }

    @Test
    void spellings_of_one_input_have_one_hash() {
        assertThat(of("{\"a\":1,\"b\":[true]}")).isEqualTo(of(" {\"b\":[true], \"c\":null, \"a\":10e-1}"));
        assertThat(of("\"\\u0041\\/\"")).isEqualTo(of("\"A/\""));
    }

    @Test
    void other_inputs_have_other_hashes() {
        assertThat(of("9007199254740992")).isNotEqualTo(of("9007199254740993"));
        assertThat(of("{\"a\":1}")).isNotEqualTo(of("{\"a\":\"1\"}"));
        assertThat(of("[null]")).isNotEqualTo(of("[]"));
        assertThat(of("{}")).isNotEqualTo(of("[]"));
        assertThat(of("null")).isNotEqualTo(of("{}"));
    }

    @Test
    void fields_that_are_left_out_do_not_count() {
        assertThat(of("{\"a\":1,\"trace_id\":\"x\"}", "/trace_id"))
                .isEqualTo(of("{\"a\":1,\"trace_id\":\"y\"}", "/trace_id"))
                .isEqualTo(of("{\"a\":1}", "/trace_id"))
                .isEqualTo(of("{\"a\":1}"));
    }

    @Test
    void only_chosen_fields_count() {
        assertThat(ofFields("{\"customer\":\"c\",\"month\":3,\"x\":1}", "/customer", "/month"))
                .isEqualTo(ofFields("{\"month\":3.0,\"customer\":\"c\"}", "/customer", "/month"))
                .isNotEqualTo(ofFields("{\"customer\":\"c\",\"month\":4}", "/customer", "/month"))
                .isNotEqualTo(ofFields("{\"customer\":\"c\",\"month\":3}", "/customer"));
    }

    @Test
    void the_order_of_chosen_fields_and_repeating_one_make_no_difference() {
        String text = "{\"a\":1,\"b\":2}";
        assertThat(ofFields(text, "/a", "/b"))
                .isEqualTo(ofFields(text, "/b", "/a"))
                .isEqualTo(ofFields(text, "/b", "/a", "/b"));
    }

    @Test
    void equal_values_in_other_fields_are_something_else() {
        assertThat(ofFields("{\"a\":1,\"b\":2}", "/a")).isNotEqualTo(ofFields("{\"a\":2,\"b\":1}", "/b"));
        assertThat(ofFields("{\"a\":1,\"b\":2}", "/a", "/b")).isNotEqualTo(ofFields("{\"a\":2,\"b\":1}", "/a", "/b"));
    }

    @Test
    void chosen_fields_may_be_nested_whole_objects_elements_and_the_root() {
        assertThat(ofFields("{\"a\":{\"b\":[1,{\"c\":2,\"n\":null}]}}", "/a/b/1"))
                .isEqualTo(ofFields("{\"a\":{\"b\":[9,{\"c\":2}]}}", "/a/b/1"));
        assertThat(ofFields("{\"a\":1}", "")).isNotEqualTo(ofFields("{\"a\":2}", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/missing", "/none", "/a/b", "/list/1"})
    void a_chosen_field_that_is_missing_or_null_is_refused_by_name(String field) {
        assertThatThrownBy(() -> ofFields("{\"a\":1,\"none\":null,\"list\":[1]}", "/a", field))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"" + field + "\"")
                .hasMessageContaining("missing or null");
    }

    @Test
    void no_chosen_fields_are_refused() {
        assertThatThrownBy(() -> ofFields("{}"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("at least one");
    }

    @Test
    void bytes_and_text_lead_back_to_the_hash() {
        InputHash hash = of("{\"a\":1}");
        assertThat(hash.bytes()).hasSize(32);
        assertThat(InputHash.ofBytes(hash.bytes())).isEqualTo(hash).hasSameHashCodeAs(hash);
        assertThat(InputHash.parse(hash.toString())).isEqualTo(hash);
        assertThat(InputHash.parse("sha256:" + hash.toString().substring(7).toUpperCase(Locale.ROOT)))
                .isEqualTo(hash);
        assertThat(hash).isNotEqualTo(of("{\"a\":2}")).isNotEqualTo(null);
    }

    @Test
    void nobody_can_change_a_hash_through_its_arrays() {
        InputHash hash = of("{}");
        byte[] given = hash.bytes();
        InputHash copy = InputHash.ofBytes(given);
        given[0]++;
        copy.bytes()[1]++;
        assertThat(copy).isEqualTo(hash);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 31, 33})
    void another_number_of_bytes_is_refused(int length) {
        assertThatThrownBy(() -> InputHash.ofBytes(new byte[length]))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("32 bytes, but got " + length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sha256:",
                "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                "sha512:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8",
                "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a0",
                "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8g",
                "sha256:+4136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
            })
    void text_of_another_form_is_refused(String text) {
        assertThatThrownBy(() -> InputHash.parse(text))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("64 hexadecimal digits");
    }
}
