package dev.semel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests of the arguments of a guard: settings, keys, extractors, tokens. */
class GuardArgumentsTest {

    record Order(String id, String product, String traceId) {}

    private static Guard.Builder builder() {
        return Guard.on(new InMemoryGuardStore());
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(InvalidInput.class);
    }

    @Test
    void nullAndEmptyAreAnsweredAtConstruction() {
        refused(() -> Guard.on(null));
        refused(() -> builder().tenant(null));
        refused(() -> builder().tenant(""));
        refused(() -> builder().tenant("no spaces"));
        refused(() -> builder().prefix(null));
        refused(() -> builder().prefix("x".repeat(256)));
        refused(() -> builder().prefix("a\nb"));
        refused(() -> builder().type(null));
        refused(() -> builder().type(""));
        refused(() -> builder().ttl(null));
        refused(() -> builder().ttl(Duration.ZERO));
        refused(() -> builder().ttl(Duration.ofSeconds(-1)));
        refused(() -> builder().ttl(Duration.ofDays(40_000)));
        refused(() -> builder().lease(null));
        refused(() -> builder().lease(Duration.ofMillis(99)));
        refused(() -> builder().failMode(null));
        refused(() -> builder().whenBusy(null));
        refused(() -> builder().waitLimit(null));
        refused(() -> builder().waitLimit(Duration.ofMillis(-1)));
        refused(() -> builder().remember(-1));
        refused(() -> builder().remember(Guard.Builder.MOST_REMEMBERED + 1));
        refused(() -> builder().sweepEvery(null));
        refused(() -> builder().codec(null));
        refused(() -> builder().random(null));
        refused(() -> builder().observer(null));
    }

    @Test
    void aCallIsAnsweredBeforeAnythingHappens() {
        try (Guard guard = builder().build()) {
            refused(() -> guard.once(null, String.class, token -> ""));
            refused(() -> guard.once("k", null, token -> ""));
            refused(() -> guard.once("k", String.class, null));
            refused(() -> guard.once("x".repeat(256), String.class, token -> ""));
            refused(() -> guard.once("a\u0000b", String.class, token -> ""));
            refused(() -> guard.run("k", null));
            refused(() -> guard.call("k").tenant(""));
            refused(() -> guard.call("k").ttl(Duration.ZERO));
            refused(() -> guard.call("k").payload(null));
            refused(() -> guard.wrap(null, String.class, (input, token) -> ""));
            refused(() -> guard.wrap(Object::toString, null, (input, token) -> ""));
            refused(() -> guard.wrap(Object::toString, String.class, null));
            refused(() -> guard.lookup(null, String.class));
            refused(() -> guard.joining(null));
            assertThat(guard.find("k")).isEmpty();
        }
    }

    @Test
    void settingsAreCheckedForEveryCaller() {
        GuardSettings standard = GuardSettings.standard();
        assertThat(standard.ttl()).isEqualTo(Duration.ofHours(24));
        assertThat(standard.failMode()).isEqualTo(FailMode.CLOSED);
        assertThat(standard.whenBusy()).isEqualTo(WhenBusy.THROW);
        refused(() -> standard.withTtl(Duration.ZERO));
        refused(() -> GuardStore.checkSweep(0));
    }

    @Test
    void anOwnerTokenIsReadAsItWasWrittenAndNotShown() {
        OwnerToken token = OwnerToken.next(new SplittableRandom(1));
        assertThat(OwnerToken.parse(token.hex())).isEqualTo(token);
        assertThat(token.hex()).hasSize(32);
        assertThat(token.toString()).doesNotContain(token.hex());
        refused(() -> OwnerToken.parse("12"));
        refused(() -> OwnerToken.parse("x".repeat(32)));
    }

    @Test
    void chosenFieldsMakeTheKey() {
        KeyExtractor<Order> extractor = KeyExtractor.fields("/id", "/product");
        String key = extractor.key(new Order("1", "2", "x"));
        assertThat(key).startsWith("fields:sha256:").isEqualTo(extractor.key(new Order("1", "2", "y")));
        assertThat(extractor.key(new Order("12", "", "x"))).isNotEqualTo(key);
        assertThat(KeyExtractor.<Order>fields("/product", "/id").key(new Order("1", "2", "z")))
                .isEqualTo(key);
        refused(() -> KeyExtractor.fields());
        refused(() -> extractor.key(new Order(null, "2", "x")));
        refused(() -> KeyExtractor.fields("/nothing").key(Map.of("a", 1)));
    }

    @Test
    void aTypeAndAnIdMakeTheKey() {
        KeyExtractor<Order> extractor = KeyExtractor.typeAndId("order.create", Order::id);
        assertThat(extractor.key(new Order("abc-123", "", ""))).isEqualTo("order.create#abc-123");
        assertThat(KeyExtractor.typeAndId("n", number -> number).key(7)).isEqualTo("n#7");
        refused(() -> extractor.key(new Order(null, "", "")));
        refused(() -> extractor.key(new Order("", "", "")));
        refused(() -> KeyExtractor.typeAndId("", Order::id));
        refused(() -> KeyExtractor.typeAndId("a#b", Order::id));
        refused(() -> KeyExtractor.typeAndId("a", null));
    }

    @Test
    void theWholePayloadMakesTheKeyByItsMeaning() {
        KeyExtractor<String> extractor = KeyExtractor.<Json>payload("/traceId").from(Json::parse);
        String key = extractor.key("{\"a\":1, \"b\":[2], \"traceId\":\"x\"}");
        assertThat(key).startsWith("payload:sha256:").isEqualTo(extractor.key("{\"b\":[2],\"a\":1.0}"));
        assertThat(extractor.key("{\"a\":2}")).isNotEqualTo(key);
        refused(() -> extractor.key("{malformed"));
        refused(() -> KeyExtractor.payload().from(null));
        assertThat(KeyExtractor.<Order>payload().key(new Order("1", "2", "3")))
                .isNotEqualTo(KeyExtractor.<Order>payload().key(new Order("1", "2", "4")));
    }

    @Test
    void anExtractorThatFailsIsAnErrorAndOneWithoutAKeyMeansUnguarded() {
        try (Guard guard = builder().build()) {
            var failing = guard.wrap((String input) -> input.substring(100), String.class, (input, token) -> {
                throw new AssertionError("ran");
            });
            assertThatThrownBy(() -> failing.apply("short"))
                    .isInstanceOf(InvalidInput.class)
                    .hasCauseInstanceOf(IndexOutOfBoundsException.class);
            var nulls = guard.wrap((String input) -> null, String.class, (input, token) -> input);
            assertThat(nulls.apply("a")).isEqualTo("a");
            assertThat(nulls.apply("b")).isEqualTo("b");
            var meant = guard.wrap((String input) -> "", String.class, (input, token) -> input);
            assertThat(meant.apply("a")).isEqualTo("a");
            assertThat(meant.apply("b")).isEqualTo("b");
        }
    }

    @Test
    void aWrappedFunctionRunsOnceForEachKey() throws Exception {
        try (Guard guard = builder().checkPayload(true).build()) {
            GuardedFunction<Order, String, Exception> wrapped = guard.wrap(
                    KeyExtractor.typeAndId("order", Order::id),
                    String.class,
                    (input, token) -> input.product() + " " + token.length());
            assertThat(wrapped.apply(new Order("1", "apple", "t"))).isEqualTo("apple 32");
            assertThat(wrapped.apply(new Order("1", "apple", "t"))).isEqualTo("apple 32");
            assertThat(wrapped.apply(new Order("2", "pear", "t"))).isEqualTo("pear 32");
            assertThatThrownBy(() -> wrapped.apply(new Order("1", "pear", "t"))).isInstanceOf(GuardConflict.class);
        }
    }

    @Test
    void aPayloadMayBeJsonAlready() {
        try (Guard guard = builder().build()) {
            guard.call("k").payload(Json.parse("{\"a\":1}")).once(String.class, token -> "");
            InputHash stored = guard.find("k").orElseThrow().payload();
            assertThat(stored).isEqualTo(InputHash.of(Json.parse("{\"a\":1.0}"), List.of()));
        }
    }
}
