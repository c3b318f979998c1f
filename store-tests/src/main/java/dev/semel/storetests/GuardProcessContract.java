package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardStore;
import dev.semel.guard.WhenBusy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What guards of several processes do on one store: together, killed, and frozen. */
@Timeout(120)
public abstract class GuardProcessContract {

    static final int THREADS = 4;
    static final int KEYS = 25;
    private static final int PROCESSES = 4;

    // Waited for until it has expired, so it is short.
    private static final Duration LEASE = Duration.ofSeconds(1);

    // Where every owner lives, no lease may expire: a busy machine does not let a process run for seconds now and
    // then.
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    // How long after the end of a lease a waiting call enters, on a busy machine too.
    private static final Duration PROMPTLY = Duration.ofSeconds(20);

    /** For subclasses. */
    protected GuardProcessContract() {}

    /** How a process opens the store: a public class with a constructor that takes nothing. */
    public interface Opener {

        /**
         * Opens the store.
         *
         * @param address where it is
         * @return the store
         */
        GuardStore open(String address);
    }

    /**
     * The class that opens the store, here and in other processes.
     *
     * @return the class
     */
    protected abstract Class<? extends Opener> opener();

    /**
     * Makes a fresh, empty place for a store.
     *
     * @return its address, as the opener takes it
     */
    protected abstract String freshAddress();

    private GuardStore opened(String address) {
        try {
            return opener().getDeclaredConstructor().newInstance().open(address);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private GuardProcess process(String address, Duration lease, String what) {
        return GuardProcess.start(opener(), address, lease, what);
    }

    @Test
    @DisplayName(
            "Four processes of four threads call under the same keys: one effect for each, the same result for all")
    void fourProcessesOneEffect() {
        String address = freshAddress();
        List<GuardProcess> processes = new ArrayList<>();
        Map<String, Integer> effects = new TreeMap<>();
        Map<String, Integer> results = new HashMap<>();
        try (GuardStore store = opened(address)) {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(process(address, LONG_LEASE, "many"));
            }
            processes.forEach(each -> each.expect("ready"));
            processes.forEach(each -> each.say("go"));
            for (GuardProcess each : processes) {
                for (String line : each.rest()) {
                    (line.startsWith("effect ") ? effects : results).merge(line, 1, Integer::sum);
                }
            }
        } finally {
            processes.forEach(GuardProcess::close);
        }
        assertThat(effects)
                .hasSize(KEYS)
                .allSatisfy((line, times) -> assertThat(times).as(line).isEqualTo(1));
        assertThat(results)
                .as("one result for each key")
                .hasSize(KEYS)
                .allSatisfy((line, times) -> assertThat(times).as(line).isEqualTo(PROCESSES * THREADS));
    }

    @Test
    @DisplayName("A process that is killed in its effect is taken over soon after its lease has expired")
    void aKilledOwnerIsTakenOver() {
        String address = freshAddress();
        try (GuardStore store = opened(address);
                Guard guard = Guard.on(store).whenBusy(WhenBusy.WAIT).build();
                GuardProcess owner = process(address, LEASE, "one")) {
            owner.expect("ready");
            owner.say("go");
            owner.expect("in the effect");
            owner.kill();
            GuardEntry left = guard.find("one").orElseThrow();
            assertThat(guard.once("one", String.class, token -> "mine")).isEqualTo("mine");
            Instant leaseUntil = Objects.requireNonNull(left.leaseUntil());
            assertThat(guard.find("one").orElseThrow().beganAt())
                    .isAfterOrEqualTo(leaseUntil)
                    .isBefore(leaseUntil.plus(PROMPTLY));
        }
    }

    @Test
    @DisplayName("A process that was frozen past its lease was taken over, and changes nothing")
    void aFrozenOwnerComesTooLate() {
        String address = freshAddress();
        try (GuardStore store = opened(address);
                Guard guard = Guard.on(store).whenBusy(WhenBusy.WAIT).build();
                GuardProcess owner = process(address, LEASE, "one")) {
            owner.expect("ready");
            owner.say("go");
            owner.expect("in the effect");
            owner.signal("STOP");
            assertThat(guard.once("one", String.class, token -> "mine")).isEqualTo("mine");
            owner.signal("CONT");
            owner.say("go on");
            owner.expect("not recorded late");
            assertThat(guard.lookup("one", String.class).orElseThrow().result()).isEqualTo("mine");
        }
    }
}
