package dev.semel.s3.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.guard.Settled;
import dev.semel.s3.S3GuardStore;
import dev.semel.s3.objects.Fault;
import dev.semel.s3.objects.FaultPlan;
import dev.semel.s3.objects.FaultyNetwork;
import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.ProcessKilled;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import dev.semel.task.InvalidInput;
import dev.semel.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that dies before or after each of its requests leaves a key that works. */
class GuardKillsTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration TTL = Duration.ofHours(1);

    private final ManualClock clock = new ManualClock();
    private final RandomGenerator random = new SplittableRandom(3);
    private final InMemoryObjects service = new InMemoryObjects(clock);
    private final FaultyNetwork network = new FaultyNetwork(service, 3);

    private GuardStore store(FaultPlan plan) {
        return S3GuardStore.on(RetryingObjectStore.on(network.connect(plan), RetrySettings.withoutPauses()), clock);
    }

    private Hold hold(GuardKey key) {
        return new Hold(key, OwnerToken.next(random), null, LEASE, TTL);
    }

    @ParameterizedTest
    @EnumSource(names = {"KILLED_BEFORE", "KILLED_AFTER"})
    void aCallThatDiesAtAnyRequestDoesNotBlockItsKey(Fault fault) {
        boolean survived = false;
        for (int at = 1; !survived; at++) {
            GuardKey key = new GuardKey("default", fault + "-" + at);
            Hold dying = hold(key);
            boolean finished = false;
            try (GuardStore process = store(FaultPlan.at(at, fault))) {
                process.begin(dying);
                process.renew(dying);
                process.finish(dying, "1");
                finished = true;
                survived = true;
            } catch (ProcessKilled e) {
                assertThat(at).isLessThan(20);
            }
            GuardStore other = store(FaultPlan.calm());
            Hold next = hold(key);
            boolean recorded = other.find(key)
                    .map(entry -> entry.state() == GuardState.SUCCESS)
                    .orElse(false);
            if (recorded) {
                assertThat(other.begin(next)).isInstanceOf(Begun.Done.class);
            } else {
                assertThat(finished).isFalse();
                clock.advance(LEASE.multipliedBy(2));
                assertThat(other.begin(next)).isInstanceOf(Begun.Entered.class);
                // The dead one comes back and can change nothing.
                assertThat(other.finish(dying, "late")).isEqualTo(Settled.STALE);
                assertThat(other.finish(next, "2")).isEqualTo(Settled.APPLIED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"KILLED_BEFORE", "KILLED_AFTER"})
    void aSweepThatDiesAtAnyRequestHarmsNothingAndIsContinued(Fault fault) {
        for (int at = 1; at < 30; at++) {
            GuardKey key = new GuardKey("default", "swept-" + fault + "-" + at);
            GuardStore calm = store(FaultPlan.calm());
            Hold first = hold(key);
            calm.begin(first);
            calm.finish(first, "1");
            clock.advance(Duration.ofDays(1));
            sweptUntilKilled(at, fault);
            clock.advance(Duration.ofDays(1).plusHours(1));
            sweptUntilKilled(at, fault);
            Hold second = hold(key);
            assertThat(calm.begin(second)).isEqualTo(new Begun.Entered(false));
            assertThat(store(FaultPlan.calm()).begin(hold(key))).isInstanceOf(Begun.Busy.class);
            assertThat(calm.finish(second, "2")).isEqualTo(Settled.APPLIED);
        }
        for (int day = 0; day < 4; day++) {
            clock.advance(Duration.ofDays(1).plusHours(1));
            store(FaultPlan.calm()).sweep(GuardStore.MAX_SWEEP);
        }
        assertThat(service.list("", "", 1000).objects()).isEmpty();
    }

    private void sweptUntilKilled(int at, Fault fault) {
        try (GuardStore sweeping = store(FaultPlan.at(at, fault))) {
            sweeping.sweep(GuardStore.MAX_SWEEP);
        } catch (ProcessKilled e) {
            // as planned
        }
    }

    @Test
    void aProcessThatWasFrozenForDaysChangesNothing() {
        GuardKey key = new GuardKey("default", "frozen");
        GuardStore frozen = store(FaultPlan.calm());
        Hold old = hold(key);
        frozen.begin(old);
        GuardStore others = store(FaultPlan.calm());
        for (int day = 0; day < 4; day++) {
            clock.advance(Duration.ofDays(1).plusHours(2));
            others.sweep(10);
        }
        assertThat(service.list("", "", 10).objects()).isEmpty();
        Hold fresh = hold(key);
        assertThat(others.begin(fresh)).isEqualTo(new Begun.Entered(false));
        assertThat(frozen.renew(old)).isEqualTo(Settled.STALE);
        assertThat(frozen.finish(old, "old")).isEqualTo(Settled.STALE);
        assertThat(others.finish(fresh, "new")).isEqualTo(Settled.APPLIED);
    }

    @Test
    void namesStayInTheirPlaceWhateverATenantContains() {
        GuardStore store = store(FaultPlan.calm());
        List<String> tenants = List.of("..", ".", "a/../../b", "a=2fb", "=", "%2e%2e", "é", "a b", "😀".repeat(50));
        for (String tenant : tenants) {
            GuardKey key;
            try {
                key = new GuardKey(tenant, "../../k");
            } catch (InvalidInput e) {
                continue; // no name of a tenant in the first place
            }
            Hold hold = hold(key);
            store.begin(hold);
            assertThat(store.find(key)).isPresent();
            assertThat(S3GuardStore.directory(key)).matches("idempotency/[A-Za-z0-9._=-]+/[0-9a-f]{64}/");
        }
        assertThat(tenants.stream().map(GuardNames::scope).distinct()).hasSameSizeAs(tenants);
        assertThat(tenants.stream().map(GuardNames::scope)).noneMatch(scope -> scope.startsWith("."));
        for (ListedObject object : service.list("", "", 1000).objects()) {
            assertThat(object.name()).startsWith("idempotency/");
        }
    }

    @Test
    void anObjectIsReadable() {
        GuardStore store = store(FaultPlan.calm());
        Hold hold = hold(new GuardKey("default", "charge-ORD-123"));
        store.begin(hold);
        store.finish(hold, "{\"receipt\":1}");
        String last =
                service.list("idempotency/default/", "", 10).objects().getLast().name();
        if (!(service.get(last) instanceof Reading.Found found)) {
            fail("listed, but not there");
            return;
        }
        assertThat(new String(found.object().content(), StandardCharsets.UTF_8))
                .contains("\"key\" : \"charge-ORD-123\"")
                .contains("\"key_hash\" : \"sha256:")
                .contains("\"status\" : \"success\"")
                .contains("\"owner\" : \"")
                .contains("\"created_at\" : \"")
                .contains("\"expires_at\" : \"")
                .contains("\"result\" : \"{\\\"receipt\\\":1}\"");
    }
}
