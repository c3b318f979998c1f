package dev.semel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of when holds are renewed. The lease is so long that the timer itself does nothing during a test. */
@Timeout(60)
class RenewalsTest {

    private static final Duration LEASE = Duration.ofHours(12);

    private final BlockingQueue<Hold> renewed = new LinkedBlockingQueue<>();
    private final GuardStore store = (GuardStore) Proxy.newProxyInstance(
            GuardStore.class.getClassLoader(), new Class<?>[] {GuardStore.class}, (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("renew");
                renewed.add((Hold) arguments[0]);
                return Settled.APPLIED;
            });

    @Test
    void theFirstRenewalIsCountedFromWhenTheHoldWasAskedFor() throws InterruptedException {
        Hold slow = hold("slow");
        Hold quick = hold("quick");
        try (Renewals renewals = new Renewals(store, LEASE, Duration.ZERO)) {
            renewals.start(quick, 0);
            renewals.start(slow, LEASE.dividedBy(3).toNanos());
            renewals.tick();
            assertThat(renewed.take()).isEqualTo(slow);
            renewals.tick();
            assertThat(renewed).isEmpty();
        }
    }

    private static Hold hold(String key) {
        return new Hold(
                new GuardKey("tenant", key), OwnerToken.next(new SplittableRandom(7)), null, LEASE, Duration.ofDays(1));
    }
}
