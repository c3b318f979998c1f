package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonSurrogatesTest {

    // Written separately, because the two halves side by side in a source file are a pair.
    private static final String HIGH = "\ud83d";
    private static final String LOW = "\ude00";
    private static final String ESCAPED_HIGH = "\\ud83d";
    private static final String ESCAPED_LOW = "\\uDE00";

    private static String refusal(String text) {
        Throwable thrown = catchThrowable(() -> Json.parse(text));
        assertThat(thrown).isInstanceOf(InvalidInput.class).hasNoCause();
        return thrown.getMessage();
    }

    @Test
    void half_of_a_surrogate_pair_is_refused_in_strings_and_names_raw_and_escaped() {
        for (String half :
                List.of(HIGH, LOW, ESCAPED_HIGH, ESCAPED_LOW, HIGH + "x", ESCAPED_HIGH + "\\n", LOW + HIGH)) {
            assertThat(refusal("[0,\"ab" + half + "\"]"))
                    .isEqualTo(
                            "A JSON string must be valid Unicode, but there is half of a surrogate pair at \"/1\", line 1,"
                                    + " column 4. Remove it, or send both halves in the same way, escaped or not.");
            assertThat(refusal("{\"o\":{\"ab" + half + "\":1}}"))
                    .contains("surrogate")
                    .contains("line 1, column ");
            assertThat(refusal("\"" + half + "\"")).contains("at the root");
        }
        assertThat(refusal("\"" + ESCAPED_LOW + ESCAPED_HIGH + "\"")).contains("surrogate");
        assertThat(refusal("\"" + ESCAPED_HIGH + ESCAPED_HIGH + ESCAPED_LOW + "\""))
                .contains("surrogate");
        assertThat(refusal("\"" + HIGH + HIGH + LOW + "\"")).contains("surrogate");
    }

    @Test
    void a_raw_half_beside_an_escaped_half_is_refused_because_the_text_has_no_utf_8_form() {
        assertThat(refusal("\"" + HIGH + ESCAPED_LOW + "\"")).contains("both halves in the same way");
        assertThat(refusal("\"" + ESCAPED_HIGH + LOW + "\"")).contains("both halves in the same way");
        assertThat(refusal("{\"" + HIGH + ESCAPED_LOW + "\":1}")).contains("both halves in the same way");
        assertThat(refusal("{\"" + ESCAPED_HIGH + LOW + "\":1}")).contains("both halves in the same way");
    }

    @Test
    void half_of_a_surrogate_pair_far_into_the_text_is_refused_with_its_place() {
        String before = "[" + "\"0123456789\",\n".repeat(50_000);
        assertThat(refusal(before + "\"\\udc00\"]")).contains("\"/50000\", line 50001, column 1");
        assertThat(refusal(before + "\"" + "x".repeat(90_000) + LOW + "\"]"))
                .contains("\"/50000\", line 50001, column 1");
    }

    @Test
    void whole_surrogate_pairs_are_taken_raw_and_escaped() {
        for (String pair : List.of(HIGH + LOW, ESCAPED_HIGH + ESCAPED_LOW, "\\uD83D\\ude00")) {
            assertThat(Json.parse("{\"" + pair + "\":\"" + pair + pair + "\"}").canonical())
                    .isEqualTo("{\"😀\":\"😀😀\"}");
        }
    }

    @Test
    void an_escaped_backslash_before_a_u_is_no_surrogate() {
        assertThat(Json.parse("\"\\\\ud800\"").canonical()).isEqualTo("\"\\\\ud800\"");
        assertThat(refusal("\"\\\\\\ud800\"")).contains("surrogate");
    }

    @Test
    void a_half_is_found_exactly_if_the_decoded_string_has_one_or_the_text_has_no_utf_8_form() {
        Random random = new Random(10646);
        String[] pieces = {HIGH, LOW, ESCAPED_HIGH, ESCAPED_LOW, "\\\\", "\\u0041", "a", "u", "d83d", "\\\"", "é"};
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder();
            StringBuilder decoded = new StringBuilder();
            for (int n = random.nextInt(6); n > 0; n--) {
                int piece = random.nextInt(pieces.length);
                text.append(pieces[piece]);
                decoded.append(
                        switch (piece) {
                            case 2 -> HIGH;
                            case 3 -> LOW;
                            case 4 -> "\\";
                            case 5 -> "A";
                            case 9 -> "\"";
                            default -> pieces[piece];
                        });
            }
            boolean isWhole = StandardCharsets.UTF_8.newEncoder().canEncode(text)
                    && StandardCharsets.UTF_8.newEncoder().canEncode(decoded);
            for (String document : List.of("[\"" + text + "\"]", "{\"" + text + "\":1}")) {
                Throwable thrown = catchThrowable(() -> Json.parse(document));
                if (isWhole) {
                    assertThat(thrown).as(document).isNull();
                } else {
                    assertThat(thrown)
                            .as(document)
                            .isInstanceOf(InvalidInput.class)
                            .hasMessageContaining("surrogate");
                }
            }
        }
    }
}
