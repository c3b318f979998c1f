package dev.semel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of a guard whose store answers late or not at all, or whose caller is interrupted. */
class GuardUnderTroubleTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final AtomicLong nanos = new AtomicLong();
    private final List<String> calls = new ArrayList<>();
    private final Deque<Runnable> troubles = new ArrayDeque<>();
    private final GuardStore store = new Troubled(new InMemoryGuardStore());

    @AfterEach
    void nobodyIsInterrupted() {
        Thread.interrupted();
    }

    @Test
    void anAnswerAsOldAsTheLeaseIsRenewedBeforeTheEffectBegins() {
        troubles.add(() -> nanos.addAndGet(LEASE.toNanos()));
        try (Guard guard = guard(FailMode.CLOSED)) {
            guard.run("k", token -> calls.add("effect"));
        }
        assertThat(calls).containsExactly("begin", "renew", "effect", "finish");
    }

    @Test
    void aStoreThatIsAlwaysTooSlowForTheLeaseIsOneThatFails() {
        for (int i = 0; i < 10; i++) {
            troubles.add(() -> nanos.addAndGet(LEASE.toNanos()));
        }
        try (Guard guard = guard(FailMode.CLOSED)) {
            assertThatThrownBy(() -> guard.run("k", token -> calls.add("effect")))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("too slowly");
        }
        assertThat(calls).doesNotContain("effect");
    }

    @Test
    void anInterruptedCallerIsNoReasonToRunUnguarded() {
        Runnable interrupted = () -> {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("interrupted");
        };
        troubles.add(interrupted);
        troubles.add(interrupted);
        try (Guard guard = guard(FailMode.OPEN)) {
            assertThatThrownBy(() -> guard.run("k", token -> calls.add("effect")))
                    .isInstanceOf(StoreUnavailable.class);
        }
        assertThat(calls).doesNotContain("effect");
    }

    @Test
    void anInterruptDuringTheRecordingDoesNotSpoilIt() {
        troubles.add(() -> {});
        troubles.add(() -> {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("interrupted");
        });
        troubles.add(() -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new StoreUnavailable("still interrupted");
            }
        });
        try (Guard guard = guard(FailMode.CLOSED)) {
            assertThat(guard.run("k", token -> calls.add("effect"))).isTrue();
        }
        assertThat(calls).containsExactly("begin", "effect", "finish", "finish");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anUnguardedEffectIsReportedToTheStoreIfPossible() {
        Runnable lost = () -> {
            throw new StoreUnavailable("the answer was lost");
        };
        troubles.add(lost);
        troubles.add(lost);
        try (Guard guard = guard(FailMode.OPEN)) {
            guard.run("k", token -> calls.add("effect"));
            assertThat(guard.run("k", token -> calls.add("again"))).isFalse();
        }
        assertThat(calls).containsOnlyOnce("effect").doesNotContain("again");
    }

    @Test
    void insideATransactionOfTheCallersOwnEveryGuardIsClosed() {
        Connection connection = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> null);
        troubles.add(() -> {
            throw new StoreUnavailable("another transaction has the key");
        });
        try (Guard guard = guard(FailMode.OPEN)) {
            assertThatThrownBy(() -> guard.joining(connection).run("k", token -> calls.add("effect")))
                    .isInstanceOf(StoreUnavailable.class);
        }
        assertThat(calls).containsExactly("begin");
    }

    @Test
    void nullIsNoPayloadToMakeAKeyOf() {
        KeyExtractor<@Nullable String> payload = KeyExtractor.payload();
        assertThatThrownBy(() -> payload.key(null)).isInstanceOf(InvalidInput.class);
    }

    private Guard guard(FailMode mode) {
        return Guard.on(store)
                .lease(LEASE)
                .failMode(mode)
                .remember(0)
                .nanos(nanos::get)
                .build();
    }

    /** A store that does its work, and then applies the next trouble to the answer. */
    private final class Troubled implements GuardStore {

        private final GuardStore inner;

        Troubled(GuardStore inner) {
            this.inner = inner;
        }

        private <T> T answered(String call, T answer) {
            calls.add(call);
            Runnable trouble = troubles.poll();
            if (trouble != null) {
                trouble.run();
            }
            return answer;
        }

        @Override
        public Optional<GuardJoining> joining() {
            return Optional.of(connection -> this);
        }

        @Override
        public Begun begin(Hold hold) {
            return answered("begin", inner.begin(hold));
        }

        @Override
        public Settled renew(Hold hold) {
            return answered("renew", inner.renew(hold));
        }

        @Override
        public Settled finish(Hold hold, @Nullable String result) {
            return answered("finish", inner.finish(hold, result));
        }

        @Override
        public Settled fail(Hold hold, String error) {
            return answered("fail", inner.fail(hold, error));
        }

        @Override
        public Optional<GuardEntry> find(GuardKey key) {
            return inner.find(key);
        }

        @Override
        public int sweep(int limit) {
            return inner.sweep(limit);
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
