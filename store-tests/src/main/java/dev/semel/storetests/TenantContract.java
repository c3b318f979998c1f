package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.QueueDepth;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskQuery;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of reads that are narrowed to one tenant: E11 and Q11. */
public abstract class TenantContract extends EffectStoreContract {

    private static final String ACME = "acme";
    private static final String OTHER = "other";

    /** Removes dead letters, and keeps completed and cancelled tasks. */
    private static final SweepRequest THE_DEAD =
            new SweepRequest(Duration.ofDays(1_000), Map.of(), Duration.ZERO, 1_000);

    /** For subclasses. */
    protected TenantContract() {}

    // E11

    @Test
    @DisplayName("E11: a listing of effects that is narrowed to a tenant has that tenant's effects, in every page size")
    void aListingOfEffectsIsNarrowed() {
        List<EffectId> acme = new ArrayList<>();
        List<EffectId> unknown = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String tenant = i % 3 == 0 ? ACME : OTHER;
            Lease lease = intended(Draft.plain().tenant(tenant));
            if (i % 2 == 0) {
                applied(done(lease));
            } else {
                applied(park(lease));
            }
            if (tenant.equals(ACME)) {
                acme.add(charge(lease));
                if (i % 2 == 1) {
                    unknown.add(charge(lease));
                }
            }
        }
        for (int limit : new int[] {1, 3, 100}) {
            assertThat(idsOf(Snapshot.listed(store, EffectQuery.all(limit).ofTenant(ACME))))
                    .as("pages of %s", limit)
                    .isEqualTo(acme);
            assertThat(idsOf(Snapshot.listed(store, EffectQuery.unknown(limit).ofTenant(ACME))))
                    .as("unknown, pages of %s", limit)
                    .isEqualTo(unknown);
        }
        EffectPage rest = store.effects(new EffectQuery(ACME, Set.of(), acme.get(4), 100));
        assertThat(idsOf(rest.effects())).isEqualTo(acme.subList(5, acme.size()));
        assertThat(Snapshot.listed(store, EffectQuery.all(10).ofTenant("nobody")))
                .isEmpty();
        assertThat(ledger()).hasSize(30);
    }

    @Test
    @DisplayName("E11: two tenants with the same key have effects of their own")
    void theSameKeyInTwoTenants() {
        Lease acme = intended(KEYED.tenant(ACME));
        Lease other = intended(KEYED.tenant(OTHER));
        assertThat(ofTenant(ACME)).containsExactly(charge(acme));
        assertThat(ofTenant(OTHER)).containsExactly(charge(other));
        assertThat(ofTenant(Identity.DEFAULT_TENANT)).isEmpty();
    }

    @Test
    @DisplayName(
            "E11, E10: an effect without a stored task is listed with the tenant of the record that can continue it")
    void anEffectWithoutATaskIsListed() {
        Draft draft = KEYED.tenant(ACME);
        Lease failed = intended(draft);
        applied(new Settlement.Fail(failed, false, "broken"));
        store.sweep(ALL);
        assertThat(store.find(List.of(failed.taskId()))).isEmpty();
        assertThat(ofTenant(ACME)).containsExactly(charge(failed));
        assertThat(ofTenant(OTHER)).isEmpty();
        assertThat(Snapshot.listed(store, EffectQuery.unknown(10).ofTenant(ACME)))
                .extracting(EffectRecord::state)
                .containsExactly(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName("E11, E10: an effect whose task was deleted is listed with the tenant of a later run that is stored")
    void anEffectOfALaterRunIsListed() {
        Draft draft = KEYED.tenant(ACME);
        Lease first = intended(draft);
        applied(new Settlement.Fail(first, false, "broken"));
        Lease second = begin(draft);
        applied(new Settlement.Complete(second, null));
        store.sweep(THE_DEAD);
        assertThat(store.find(List.of(first.taskId(), second.taskId()))).containsOnlyKeys(second.taskId());
        assertThat(ofTenant(ACME)).containsExactly(charge(first));
        assertThat(ofTenant(OTHER)).isEmpty();
    }

    private List<EffectId> ofTenant(String tenant) {
        return idsOf(Snapshot.listed(store, EffectQuery.all(10).ofTenant(tenant)));
    }

    private static List<EffectId> idsOf(List<EffectRecord> effects) {
        return effects.stream().map(EffectRecord::id).toList();
    }

    // Q11

    @Test
    @DisplayName("Q11: depths that are narrowed to a tenant count that tenant's tasks and no others")
    void depthsAreNarrowed() {
        for (String tenant : List.of(ACME, OTHER)) {
            createIn(TaskState.COMPLETED, Draft.plain().tenant(tenant));
            createIn(TaskState.FAILED, Draft.plain().tenant(tenant));
            parked(Draft.plain().tenant(tenant));
        }
        createIn(TaskState.TIMED_OUT, Draft.plain().tenant(OTHER));
        createIn(TaskState.RUNNING, Draft.plain().tenant(ACME));
        leasesExpire();
        Instant ranOut = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        store.submit(tasks(3, Draft.plain().tenant(ACME).queue("claimed")));
        store.submit(tasks(2, Draft.plain().tenant(OTHER).queue("claimed")));
        assertThat(claim(ClaimDraft.from("claimed")).tasks()).hasSize(5);
        create(Draft.plain().tenant(ACME).delay(Duration.ofHours(1)));
        create(Draft.plain().tenant(OTHER));
        create(Draft.plain().tenant(OTHER).queue("elsewhere"));
        Instant now = clock.instant();

        assertThat(depths(ACME))
                .containsOnly(
                        Map.entry(Draft.QUEUE, new QueueDepth(1, 1, 0, 1, 1, ranOut)),
                        Map.entry("claimed", new QueueDepth(0, 0, 3, 0, 0, null)));
        assertThat(depths(OTHER))
                .containsOnly(
                        Map.entry(Draft.QUEUE, new QueueDepth(1, 0, 0, 1, 2, now)),
                        Map.entry("claimed", new QueueDepth(0, 0, 2, 0, 0, null)),
                        Map.entry("elsewhere", new QueueDepth(1, 0, 0, 0, 0, now)));
        assertThat(store.depths().get(Draft.QUEUE)).isEqualTo(new QueueDepth(2, 1, 0, 2, 3, ranOut));
    }

    @Test
    @DisplayName("Q11: depths that are narrowed to a tenant name no queue in which it never had a task")
    void narrowedDepthsNameNoOtherQueue() {
        create(Draft.plain().tenant(OTHER));
        create(Draft.plain().tenant(OTHER).type("second"));
        create(Draft.plain().tenant(ACME).queue("mine"));
        assertThat(store.depths(ACME)).containsOnlyKeys("mine");
        assertThat(store.depths("nobody")).isEmpty();
    }

    @Test
    @DisplayName("Q11, L1: a queue is listed and counted alike for a tenant")
    void listsAndDepthsAgree() {
        store.submit(tasks(7, Draft.plain().tenant(ACME)));
        store.submit(tasks(5, Draft.plain().tenant(OTHER)));
        for (String tenant : List.of(ACME, OTHER)) {
            TaskQuery query = new TaskQuery(tenant, Draft.QUEUE, null, Set.of(TaskState.PENDING), null, null, 100);
            int listed = store.list(query).tasks().size();
            assertThat(depths(tenant))
                    .containsOnly(Map.entry(Draft.QUEUE, new QueueDepth(listed, 0, 0, 0, 0, clock.instant())));
        }
    }

    /** The depths of queues in which a tenant has open or dead tasks. */
    private Map<String, QueueDepth> depths(String tenant) {
        Map<String, QueueDepth> depths = new HashMap<>(store.depths(tenant));
        depths.values().removeIf(QueueDepth.EMPTY::equals);
        return depths;
    }
}
