package dev.semel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.StoreUnavailable;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of a guard's log: ERROR if the effect did not run, WARN if it ran without a guard. */
class GuardLogTest {

    private static final String SECRET = "4111-1111-1111-1111";

    /** A store that is always unavailable. */
    private static final class Down implements GuardStore {

        @Override
        public Begun begin(Hold hold) {
            throw new StoreUnavailable("down");
        }

        @Override
        public Settled renew(Hold hold) {
            throw new StoreUnavailable("down");
        }

        @Override
        public Settled finish(Hold hold, String result) {
            throw new StoreUnavailable("down");
        }

        @Override
        public Settled fail(Hold hold, String error) {
            throw new StoreUnavailable("down");
        }

        @Override
        public Optional<GuardEntry> find(GuardKey key) {
            throw new StoreUnavailable("down");
        }

        @Override
        public int sweep(int limit) {
            throw new StoreUnavailable("down");
        }

        @Override
        public void close() {}
    }

    /** Returns the lines that the guard logs during a step, without stacks. */
    private static List<String> logged(Runnable step) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream captured = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setErr(captured);
            step.run();
        } finally {
            System.setErr(before);
        }
        String all = bytes.toString(StandardCharsets.UTF_8);
        assertThat(all).doesNotContain(SECRET);
        return all.lines()
                .filter(line -> line.contains("dev.semel.guard"))
                .filter(line -> line.startsWith("["))
                .toList();
    }

    @Test
    void aClosedGuardLogsAStoreErrorAtErrorAndAnOpenOneAtWarn() {
        try (Guard closed = Guard.on(new Down()).type("charge").build();
                Guard open = Guard.on(new Down())
                        .type("charge")
                        .failMode(FailMode.OPEN)
                        .build()) {
            assertThat(logged(() -> assertThatThrownBy(
                                    () -> closed.call("k").payload(SECRET).once(String.class, token -> SECRET))
                            .isInstanceOf(StoreUnavailable.class)))
                    .singleElement()
                    .asString()
                    .contains("ERROR dev.semel.guard.Guard", "type=\"charge\"", "effect not run");
            assertThat(logged(() -> open.call("k").payload(SECRET).once(String.class, token -> SECRET)))
                    .singleElement()
                    .asString()
                    .contains("WARN dev.semel.guard.Guard", "type=\"charge\"", "unguarded");
        }
    }
}
