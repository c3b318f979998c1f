package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.task.StoreUnusable;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of closing a {@link GuardStore}: K4. */
public abstract class GuardCloseContract {

    private static final Duration LONG = Duration.ofHours(1);

    private final RandomGenerator random = new SplittableRandom(7);

    /** For subclasses. */
    protected GuardCloseContract() {}

    /**
     * Opens a fresh, empty store.
     *
     * @param clock the store's notion of now, unless it has a server's
     * @return the store
     */
    protected abstract GuardStore open(InstantSource clock);

    private Hold hold() {
        return new Hold(new GuardKey("default", "k"), OwnerToken.next(random), null, LONG, LONG);
    }

    @Test
    @DisplayName("K4: a store that was closed refuses every operation as closed")
    void aClosedStoreSaysSo() {
        GuardStore closed = open(new ManualClock());
        Hold hold = hold();
        closed.begin(hold);
        closed.close();
        closed.close();
        Map<String, ThrowingCallable> operations = new LinkedHashMap<>();
        operations.put("begin", () -> closed.begin(hold()));
        operations.put("renew", () -> closed.renew(hold));
        operations.put("finish", () -> closed.finish(hold, "1"));
        operations.put("fail", () -> closed.fail(hold, "no"));
        operations.put("find", () -> closed.find(hold.key()));
        operations.put("sweep", () -> closed.sweep(1));
        operations.forEach((name, operation) -> assertThatThrownBy(operation)
                .as(name)
                .hasMessageContaining("is closed")
                .asInstanceOf(InstanceOfAssertFactories.type(StoreUnusable.class))
                .matches(StoreUnusable::isClosed));
    }
}
