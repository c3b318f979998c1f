package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdentityTest {

    @Test
    void theHashOfVersionOneNeverChanges() {
        Identity identity = Identity.of("default", Scope.type(), "payments", "charge", "ORD-123");
        assertThat(HexFormat.of().formatHex(identity.hash()))
                .isEqualTo("46fa2db0bf1b24b6a3739a219807ad4a3888eaf52d69d2c040386cc1de0828f9");
    }

    @Test
    void noTwoDifferentTuplesMeetByConcatenation() {
        List<Identity> identities = List.of(
                new Identity("a", Scope.Kind.TYPE, "bc", "d"),
                new Identity("ab", Scope.Kind.TYPE, "c", "d"),
                new Identity("a", Scope.Kind.TYPE, "b", "cd"),
                new Identity("a", Scope.Kind.CUSTOM, "bc", "d"),
                new Identity("a", Scope.Kind.QUEUE, "bc", "d"),
                new Identity("a", Scope.Kind.TENANT, "", "bcd"));
        Set<String> hashes = new HashSet<>();
        identities.forEach(identity -> hashes.add(HexFormat.of().formatHex(identity.hash())));
        assertThat(hashes).hasSameSizeAs(identities);
    }

    @Test
    void aTypeCalledQueueDoesNotMeetTheScopeOfAQueue() {
        Identity type = Identity.of("default", Scope.type(), "queue", "queue", "k");
        Identity queue = Identity.of("default", Scope.queue(), "queue", "queue", "k");
        assertThat(type.hash()).isNotEqualTo(queue.hash());
    }

    @Test
    void theScopeDecidesWhichSubmissionsCanMeet() {
        assertThat(Identity.of("t", Scope.type(), "q1", "a", "k"))
                .isEqualTo(Identity.of("t", Scope.type(), "q2", "a", "k"));
        assertThat(Identity.of("t", Scope.queue(), "q", "a", "k"))
                .isEqualTo(Identity.of("t", Scope.queue(), "q", "b", "k"));
        assertThat(Identity.of("t", Scope.tenant(), "q", "a", "k"))
                .isEqualTo(Identity.of("t", Scope.tenant(), "r", "b", "k"));
        assertThat(Identity.of("t", Scope.custom("x"), "q", "a", "k"))
                .isEqualTo(Identity.of("t", Scope.custom("x"), "r", "b", "k"));
        assertThat(Identity.of("t", Scope.type(), "q", "a", "k"))
                .isNotEqualTo(Identity.of("u", Scope.type(), "q", "a", "k"));
    }

    @Test
    void aScopeIsReadBackFromItsWord() {
        for (Scope scope : List.of(Scope.type(), Scope.queue(), Scope.tenant(), Scope.custom("orders"))) {
            assertThat(Scope.parse(scope.word())).isEqualTo(scope);
        }
        assertThatThrownBy(() -> Scope.parse("galaxy"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"galaxy\"");
        assertThatThrownBy(() -> Scope.parse("custom:")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> new Scope(Scope.Kind.TYPE, "x")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> new Identity("t", Scope.Kind.TENANT, "x", "k")).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aKeyIsOneTo255CharactersWithoutControlCharacters() {
        assertThat(Limits.key("k".repeat(255))).hasSize(255);
        assertThat(Limits.key("Schlüssel 鍵 😀 'quoted' \"twice\"")).isNotEmpty();
        for (String wrong : List.of("", "k".repeat(256), "a\nb", "a\u0000", "a\u0085b", "a\uD800", "\uDC00a")) {
            assertThatThrownBy(() -> Limits.key(wrong)).isInstanceOf(InvalidInput.class);
        }
        assertThatThrownBy(() -> Limits.key("a\nb"))
                .hasMessageContaining("U+000A")
                .hasMessageContaining("position 1");
    }

    @Test
    void aNameHasASafeAlphabet() {
        for (String right : List.of("a", "charge_customer", "v1.Order:placed/eu-west", "n".repeat(100))) {
            assertThat(Limits.name("queue", right)).isEqualTo(right);
        }
        for (String wrong : List.of("", " a", "a b", "-a", "ä", "a\n", "a;drop", "n".repeat(101))) {
            assertThatThrownBy(() -> Limits.name("queue", wrong))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageStartingWith("A queue name");
        }
    }

    @Test
    void aStrategyMakesTheKeyUnlessThereIsNone() {
        Json input = Json.parse("{\"order\":\"O-1\",\"trace\":\"t1\",\"amount\":5}");
        Json retried = Json.parse("{\"amount\":5.0,\"order\":\"O-1\",\"trace\":\"t2\"}");
        List<JsonPointer> leftOut = List.of(new JsonPointer("/trace"));
        IdentityStrategy strict = IdentityStrategy.strict();
        assertThat(strict.key("charge", input, () -> input, leftOut))
                .isEqualTo(strict.key("charge", retried, () -> retried, leftOut))
                .isNotEqualTo(strict.key("refund", input, () -> input, leftOut))
                .isNotEqualTo(strict.key("charge", input, () -> input, List.of()));
        IdentityStrategy contextual = IdentityStrategy.contextual("/order");
        Json other = Json.parse("{\"order\":\"O-1\",\"amount\":7}");
        assertThat(contextual.key("charge", input, () -> input, List.of()))
                .isEqualTo(contextual.key("charge", other, () -> other, List.of()));
        assertThat(contextual.inputHash(input, List.of())).isEqualTo(contextual.inputHash(other, List.of()));
        assertThat(strict.inputHash(input, leftOut)).isEqualTo(strict.inputHash(retried, leftOut));
        assertThat(IdentityStrategy.alwaysUnique().key("charge", input, () -> input, List.of()))
                .isNull();
    }

    @Test
    void aStrategyThatMissesSomethingSaysWhat() {
        Json input = Json.parse("{\"order\":null}");
        assertThatThrownBy(() -> IdentityStrategy.contextual("/order").key("charge", input, () -> input, List.of()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("/order");
        assertThatThrownBy(() -> IdentityStrategy.callerProvided().key("charge", input, () -> input, List.of()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"charge\" needs an idempotency key");
        assertThatThrownBy(IdentityStrategy::contextual).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aFunctionOfTheUserMakesTheKeyAndMayMakeNone() {
        TaskType<String, String> type = TaskType.builder("greet", String.class, String.class)
                .keyedBy(name -> name.isEmpty() ? null : "hello-" + name)
                .build();
        IdentityStrategy strategy = type.identity().orElseThrow();
        Json json = Json.parse("\"x\"");
        assertThat(strategy.key("greet", "Ada", () -> json, List.of())).isEqualTo("hello-Ada");
        assertThat(strategy.key("greet", "", () -> json, List.of())).isNull();
        assertThat(strategy.word()).isEqualTo("custom");
    }

    @Test
    void aTokenBelongsToALineageAndAName() {
        TaskId first = TaskId.parse("01890a5d-ac96-774b-bcce-b302099a8057");
        TaskId second = TaskId.parse("01890a5d-ac96-774b-bcce-b302099a8058");
        assertThat(Tokens.token(first, "charge"))
                .hasSize(32)
                .isEqualTo(Tokens.token(first, "charge"))
                .isNotEqualTo(Tokens.token(first, "mail"))
                .isNotEqualTo(Tokens.token(second, "charge"));
    }
}
