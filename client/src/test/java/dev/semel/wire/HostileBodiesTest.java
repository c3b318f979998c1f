package dev.semel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be understood is rejected, with its name; what need not be understood is ignored. */
class HostileBodiesTest {

    private static final TaskId ID = new TaskId(new UUID(1, 2));
    private static final String CANCEL = "{\"kind\":\"cancel\",\"task\":\"" + ID + "\"}";

    @Test
    @DisplayName("Members that are not known are ignored")
    void unknownMembersAreIgnored() {
        String more = CANCEL.replace("}", ",\"later\":{\"a\":[1.5,null,{\"b\":1e999}]},\"x\":null}");
        assertThat(Calls.SUBMIT.readRequest(bytes("[" + more + "]"))).containsExactly(new SubmitRequest.Cancel(ID));
    }

    @Test
    @DisplayName("A kind that is not known is rejected by its name")
    void unknownKindsAreRejected() {
        assertThatThrownBy(() -> Calls.SUBMIT.readRequest(bytes("[{\"kind\":\"explode\"}]")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"submit\"")
                .hasMessageContaining("\"explode\"");
        assertThatThrownBy(() -> Calls.SUBMIT.readAnswer(bytes("[{\"kind\":\"maybe\"}]"), 1))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("\"maybe\"");
        assertThatThrownBy(() -> Calls.SETTLE.readAnswer(bytes("[\"perhaps\"]"), 1))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("\"perhaps\"");
    }

    @Test
    @DisplayName("As many answers as items, or none")
    void answersAreCounted() {
        assertThatThrownBy(() -> Calls.SETTLE.readAnswer(bytes("[\"applied\"]"), 2))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("2")
                .hasMessageContaining("1");
        assertThat(Calls.SETTLE.readAnswer(bytes("[\"applied\"]"), 1)).containsExactly(Settled.APPLIED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "[",
                "[{]",
                "{}",
                "null",
                "[null]",
                "[1]",
                "[[]]",
                "[{}]",
                "[{\"kind\":1}]",
                "[{\"kind\":null}]",
                "[{\"kind\":\"cancel\"}]",
                "[{\"kind\":\"cancel\",\"task\":5}]",
                "[{\"kind\":\"cancel\",\"task\":\"5\"}]",
                "[{\"kind\":\"cancel\",\"kind\":\"cancel\",\"task\":\"00000000-0000-0001-0000-000000000002\"}]",
                "[] []",
                "[NaN]",
                "[{\"kind\":\"signal\",\"task\":\"00000000-0000-0001-0000-000000000002\",\"key\":\"\",\"name\":\"n\"}]",
                "[{\"kind\":\"task\",\"id\":\"00000000-0000-0001-0000-000000000002\",\"tenant\":\"../..\"}]"
            })
    @DisplayName("A body of another form is invalid input")
    void otherFormsAreInvalidInput(String body) {
        assertThatThrownBy(() -> Calls.SUBMIT.readRequest(bytes(body))).isInstanceOf(InvalidInput.class);
    }

    @Test
    @DisplayName("Depth, members, names, numbers, values and items have limits")
    void everythingHasLimits() {
        String name = "n".repeat(JsonInput.MAX_NAME_LENGTH + 1);
        StringBuilder members = new StringBuilder();
        for (int i = 0; i <= JsonObject.MAX_MEMBERS; i++) {
            members.append(i == 0 ? "" : ",").append("\"m").append(i).append("\":1");
        }
        for (String body : List.of(
                "[".repeat(JsonInput.MAX_DEPTH + 1) + "]".repeat(JsonInput.MAX_DEPTH + 1),
                "[{" + members + "}]",
                "[{\"" + name + "\":1}]",
                "[" + "9".repeat(JsonInput.MAX_NUMBER_LENGTH + 1) + "]",
                "[" + "1,".repeat(JsonInput.MAX_VALUES) + "1]",
                "[" + (CANCEL + ",").repeat(Protocol.MAX_ITEMS) + CANCEL + "]")) {
            assertThatThrownBy(() -> Calls.SUBMIT.readRequest(bytes(body)))
                    .as(body.substring(0, 40))
                    .isInstanceOf(InvalidInput.class);
        }
        assertThat(Calls.SUBMIT.readRequest(bytes("[" + (CANCEL + ",").repeat(Protocol.MAX_ITEMS - 1) + CANCEL + "]")))
                .hasSize(Protocol.MAX_ITEMS);
    }

    @Test
    @DisplayName("A set or map with the same element twice is rejected")
    void elementsAreDistinct() {
        assertThatThrownBy(() -> Calls.LIST.readRequest(
                        bytes("{\"states\":[\"failed\",\"failed\"],\"workflows\":false,\"limit\":1}")))
                .isInstanceOf(InvalidInput.class);
        assertThat(Calls.LIST
                        .readRequest(bytes("{\"states\":[\"failed\"],\"workflows\":false,\"limit\":1}"))
                        .states())
                .hasSize(1);
    }

    @Test
    @DisplayName("No message quotes a document")
    void messagesQuoteNoDocument() {
        assertThatThrownBy(() -> Calls.SUBMIT.readRequest(bytes("[{\"input\":\"secret\" secret}]")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    @DisplayName("An answer that is no JSON may be asked for again; one of another form may not")
    void brokenAnswersAreUnavailable() {
        assertThatThrownBy(() -> Calls.FIND.readAnswer(bytes("<html>Bad gateway</html>")))
                .isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> Calls.FIND.readAnswer(bytes("{\"answered\":1")))
                .isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> Calls.FIND.readAnswer(bytes("{\"answered\":1}")))
                .isInstanceOf(StoreUnusable.class);
    }

    @Test
    @DisplayName("Bytes that were changed at random are read, or rejected as invalid input, and nothing else")
    void changedBytesAreReadOrRejected() {
        SplittableRandom random = new SplittableRandom(Long.getLong("seed", 7));
        byte[] whole = Calls.SETTLE
                .next(
                        List.of(
                                new Settlement.Fail(new Lease(ID, -3, Long.MIN_VALUE), false, "half \uD800"),
                                new Settlement.Complete(new Lease(ID, 1, 1), "{\"a\":1.0}")),
                        0)
                .body();
        int rejected = 0;
        for (int i = 0; i < 5_000; i++) {
            byte[] changed = whole.clone();
            for (int n = random.nextInt(1, 4); n > 0; n--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(Calls.SETTLE.readRequest(changed)).isNotNull();
            } catch (InvalidInput e) {
                rejected++;
            }
        }
        assertThat(rejected).isBetween(500, 4_999);
    }

    @Test
    @DisplayName("A batch is sent in requests of bounded size and number of items, in order")
    void batchesAreSplit() {
        List<Settlement> large =
                Collections.nCopies(20, new Settlement.Complete(new Lease(ID, 1, 1), "x".repeat(1 << 20)));
        int from = 0;
        int requests = 0;
        while (from < large.size()) {
            BatchCall.Request request = Calls.SETTLE.next(large, from);
            assertThat(request.items()).isPositive();
            assertThat(request.body().length).isLessThan(Protocol.REQUEST_BYTES + (2 << 20));
            from += request.items();
            requests++;
        }
        assertThat(from).isEqualTo(large.size());
        assertThat(requests).isEqualTo(3);
        List<Settlement> many = Collections.nCopies(2_500, new Settlement.Cancelled(new Lease(ID, 1, 1)));
        assertThat(Calls.SETTLE.next(many, 0).items()).isEqualTo(Protocol.MAX_ITEMS);
        assertThat(Calls.SETTLE.next(many, 2_000).items()).isEqualTo(500);
    }

    @Test
    @DisplayName("Hints are one line each; lines that are none are skipped")
    void hintsAreOneLineEach() {
        for (Hint hint : List.of(
                new Hint.Due(List.of()),
                new Hint.Due(List.of("a", "b")),
                new Hint.Ended(List.of()),
                new Hint.Ended(List.of(ID)))) {
            String event = hint.event();
            assertThat(event).endsWith("\n\n").startsWith("data: ");
            assertThat(event.strip()).doesNotContain("\n");
            assertThat(Hint.read(event.strip())).contains(hint);
        }
        for (String line : List.of("", ": still here", "event: due", "data: {\"kind\":\"new\"}", "data: [", "data:")) {
            assertThat(Hint.read(line)).isEmpty();
        }
    }

    @Test
    @DisplayName("A problem is read with its fields; any other body is none")
    void problemsAreRead() {
        Problem problem = new Problem(Problem.TYPES + "invalid-input", "Invalid input", 400, "A queue …");
        assertThat(Problem.read(problem.toBytes())).contains(problem);
        assertThat(problem.name()).isEqualTo("invalid-input");
        assertThat(Problem.read(bytes("<html>"))).isEmpty();
        assertThat(Problem.read(bytes("{}"))).isEmpty();
        assertThat(Problem.read(bytes("{\"type\":\"about:blank\"}"))
                        .orElseThrow()
                        .status())
                .isZero();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
