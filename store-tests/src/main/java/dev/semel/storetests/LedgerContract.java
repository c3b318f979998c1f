package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of listing effects, E9, and that effects are returned as they were recorded. */
public abstract class LedgerContract extends EffectStoreContract {

    // In the order of their characters' numbers, which is not that of any dictionary.
    private static final List<String> NAMES =
            List.of("0", "9", "A", "Z", "Za", "a", "a-b", "a.b", "a/b", "a0", "a:b", "aB", "a_b", "aa", "ab", "z");

    /** For subclasses. */
    protected LedgerContract() {}

    // E9

    @Test
    @DisplayName(
            "E9: a listing is in the order of lineages, then of names by their characters, then of indexes by number")
    void aListingIsInOrder() {
        List<EffectId> expected = new ArrayList<>();
        for (int task = 0; task < 3; task++) {
            Lease lease = begin(Draft.plain());
            List<Settlement> intents = new ArrayList<>();
            for (String name : NAMES) {
                for (int index : new int[] {0, 1, 2, 9, 10, 11, 100, EffectId.MAX_INDEX}) {
                    expected.add(new EffectId(lease.taskId(), name, index));
                    // Recorded in another order than they are listed in.
                    intents.add(
                            (name.length() + index) % 2 == 0 ? 0 : intents.size(), intend(lease, expected.getLast()));
                }
            }
            assertThat(store.settle(intents)).containsOnly(Settled.APPLIED);
            assertThat(idsOf(effects(lease.taskId()))).isEqualTo(expected.subList(task * 128, expected.size()));
        }
        assertThat(expected).isEqualTo(List.copyOf(new TreeSet<>(expected)));
        assertThat(idsOf(ledger())).isEqualTo(expected);
        for (int limit : new int[] {1, 7, 128, EffectQuery.MAX_LIMIT}) {
            assertThat(idsOf(listed(limit))).as("pages of %s", limit).isEqualTo(expected);
        }
        EffectId middle = expected.get(200);
        assertThat(store.effects(new EffectQuery(null, Set.of(), middle, 5)).effects())
                .extracting(EffectRecord::id)
                .isEqualTo(expected.subList(201, 206));
        EffectId between = new EffectId(middle.lineage(), middle.name(), middle.index() + 3_000);
        int behind =
                (int) expected.stream().filter(id -> id.compareTo(between) < 0).count();
        assertThat(idsOf(store.effects(new EffectQuery(null, Set.of(), between, 5))
                        .effects()))
                .as("after one that is not there")
                .isEqualTo(expected.subList(behind, behind + 5));
        EffectPage end = store.effects(new EffectQuery(null, Set.of(), expected.getLast(), 5));
        assertThat(end.effects()).isEmpty();
        assertThat(end.next()).isNull();
    }

    @Test
    @DisplayName("E9: lineages are ordered as unsigned numbers")
    void lineagesAreOrderedUnsigned() {
        List<TaskId> ids = List.of(
                TaskId.parse("00000000-0000-7000-8000-000000000000"),
                TaskId.parse("00000000-0000-7000-bfff-ffffffffffff"),
                TaskId.parse("7fffffff-ffff-7fff-bfff-ffffffffffff"),
                TaskId.parse("80000000-0000-7000-8000-000000000000"),
                TaskId.parse("ffffffff-ffff-7fff-bfff-ffffffffffff"));
        for (TaskId id : ids) {
            submit(Draft.plain().as(id));
            applied(intend(claimOne()));
        }
        assertThat(ledger()).extracting(effect -> effect.id().lineage()).isEqualTo(ids);
        assertThat(idsOf(store.effects(new EffectQuery(null, Set.of(), charge(ids.get(2)), 10))
                        .effects()))
                .containsExactly(charge(ids.get(3)), charge(ids.get(4)));
    }

    @Test
    @DisplayName("E9: a listing filters by states, together and over pages")
    void aListingFilters() {
        List<EffectId> unknown = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Lease lease = intended(Draft.plain());
            switch (i % 5) {
                case 0 -> {} // in progress
                case 1 -> applied(done(lease));
                case 2 -> applied(notDone(lease));
                case 3 -> applied(new Settlement.Complete(lease, null));
                default -> applied(park(lease));
            }
            if (i % 5 > 2) {
                unknown.add(charge(lease));
            }
        }
        List<EffectRecord> all = ledger();
        assertThat(all).hasSize(40);
        for (Set<EffectState> states : List.of(
                EnumSet.of(EffectState.IN_PROGRESS),
                EnumSet.of(EffectState.UNKNOWN),
                EnumSet.of(EffectState.DONE),
                EnumSet.of(EffectState.NOT_DONE),
                EnumSet.of(EffectState.UNKNOWN, EffectState.IN_PROGRESS),
                EnumSet.of(EffectState.UNKNOWN, EffectState.NOT_DONE),
                EnumSet.of(EffectState.DONE, EffectState.NOT_DONE),
                EnumSet.allOf(EffectState.class))) {
            List<EffectRecord> expected = all.stream()
                    .filter(effect -> states.contains(effect.state()))
                    .toList();
            for (int limit : new int[] {1, 3, 100}) {
                assertThat(Snapshot.listed(store, new EffectQuery(null, states, null, limit)))
                        .as("%s in pages of %s", states, limit)
                        .isEqualTo(expected);
            }
        }
        assertThat(idsOf(Snapshot.listed(store, EffectQuery.unknown(3)))).isEqualTo(unknown);
    }

    @Test
    @DisplayName("E9: no page has more than its limit, and the next page continues where a page says")
    void pagesKeepTheirLimit() {
        Lease lease = begin(Draft.plain());
        for (int index = 0; index < 10; index++) {
            applied(intend(lease, new EffectId(lease.taskId(), "charge", index)));
        }
        EffectQuery query = new EffectQuery(null, Set.of(EffectState.IN_PROGRESS), null, 4);
        List<EffectId> seen = new ArrayList<>();
        EffectPage page = store.effects(query);
        while (page.next() != null) {
            assertThat(page.effects()).hasSizeLessThanOrEqualTo(4);
            seen.addAll(idsOf(page.effects()));
            page = store.effects(query.after(page.next()));
        }
        seen.addAll(idsOf(page.effects()));
        assertThat(seen).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("E9: pages neither repeat nor miss an effect that was there throughout, whatever is added and deleted")
    void pagesAreStable() {
        store.submit(tasks(60, Draft.plain()));
        List<Lease> leases = claim(CLAIM).tasks().stream().map(Claimed::lease).toList();
        List<EffectId> throughout = new ArrayList<>();
        for (int i = 0; i < 60; i += 2) {
            applied(intend(leases.get(i)));
            throughout.add(charge(leases.get(i)));
        }
        List<EffectId> seen = new ArrayList<>();
        EffectQuery query = new EffectQuery(null, EnumSet.allOf(EffectState.class), null, 7);
        EffectPage page = store.effects(query);
        int pages = 0;
        while (page.next() != null) {
            seen.addAll(idsOf(page.effects()));
            // One effect is added before and one behind the place of the listing, one changes its state, and one is
            // deleted.
            applied(intend(leases.get(pages * 2 + 1)));
            applied(intend(leases.get(59 - pages * 2)));
            applied(done(leases.get(pages * 4)));
            Lease gone = intended(Draft.plain());
            applied(new Settlement.Complete(gone, null));
            store.sweep(ALL);
            pages++;
            page = store.effects(query.after(page.next()));
        }
        seen.addAll(idsOf(page.effects()));
        assertThat(pages).isGreaterThan(3);
        assertThat(seen).doesNotHaveDuplicates().containsAll(throughout).isSorted();
    }

    @Test
    @DisplayName("The ledger of lineages is read for many at once, and has only those that have effects")
    void lineagesAreRead() {
        store.submit(tasks(1_200, Draft.plain()));
        List<TaskId> with = new ArrayList<>();
        List<TaskId> asked = new ArrayList<>();
        List<Settlement> intents = new ArrayList<>();
        for (Claimed claimed : claim(CLAIM).tasks()) {
            TaskId id = claimed.task().id();
            asked.add(id);
            if (asked.size() % 2 == 0) {
                with.add(id);
                intents.add(intend(claimed.lease()));
            }
        }
        store.settle(intents);
        asked.add(ids.next());
        asked.add(with.getFirst());
        Map<TaskId, List<EffectRecord>> found = store.effects(asked);
        assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(with);
        assertThat(found).allSatisfy((id, effects) -> assertThat(idsOf(effects)).containsExactly(charge(id)));
        assertThat(store.effects(List.<TaskId>of())).isEmpty();
    }

    // Effects are returned as they were recorded

    @Test
    @DisplayName("A lineage may have many effects, and each finds its own")
    void manyEffectsOfOneLineage() {
        Lease lease = begin(KEYED);
        List<Settlement> settlements = new ArrayList<>();
        for (int index = 0; index < 2_500; index++) {
            EffectId id = new EffectId(lease.taskId(), "row", index);
            settlements.add(intend(lease, id));
            settlements.add(done(lease, id, String.valueOf(index)));
        }
        assertThat(store.settle(settlements)).hasSize(5_000).containsOnly(Settled.APPLIED);
        List<EffectRecord> effects = effects(lease.taskId());
        assertThat(effects).hasSize(2_500);
        for (int index = 0; index < 2_500; index++) {
            assertThat(effects.get(index).id().index()).isEqualTo(index);
            assertThat(effects.get(index).result()).isEqualTo(String.valueOf(index));
        }
        assertThat(ledger()).isEqualTo(effects);
    }

    @Test
    @DisplayName("A result of the maximum size is returned unchanged, from a handler or from a person")
    void aBigResult() {
        String big = "\"" + "é".repeat((Limits.DOCUMENT_BYTES - 2) / 2) + "\"";
        Lease lease = intended(KEYED);
        EffectId mail = new EffectId(lease.taskId(), "mail", 0);
        applied(done(lease, charge(lease), big));
        applied(intend(lease, mail));
        applied(park(lease, mail));
        applied(resolve(mail, lease, new Resolution(Verdict.DONE, big, "ann", "looked it up")));
        assertThat(effects(lease.taskId())).hasSize(2).allMatch(effect -> big.equals(effect.result()));
        assertThat(ledger()).isEqualTo(effects(lease.taskId()));
    }

    @Test
    @DisplayName("Names, results and reasons are returned with all their characters")
    void allCharactersComeBack() {
        String text = "a \"quoted\"\nline \\ with é, 漢字 and \uD83D\uDE00 ' ; -- %_";
        String result = "{\"text\":[1, 2.50, null, \"\\u0000 é 漢字 \uD83D\uDE00 '\"]}";
        String longest = "n".repeat(Limits.NAME_LENGTH);
        Lease lease = begin(KEYED);
        EffectId effect = new EffectId(lease.taskId(), longest, EffectId.MAX_INDEX);
        applied(intend(lease, effect));
        applied(new Settlement.Conclude(lease, effect, new EffectOutcome.NotDone(text, How.ASSUMED)));
        assertThat(effect(lease).note()).isEqualTo(text);
        applied(intend(lease, effect));
        applied(new Settlement.Park(lease, effect, text));
        assertThat(effect(lease).note()).isEqualTo(text);
        String reason = "r".repeat(Limits.ERROR_LENGTH - text.length()) + text;
        String by = "b".repeat(Limits.KEY_LENGTH - 2) + "é漢";
        applied(resolve(effect, lease, new Resolution(Verdict.DONE, result, by, reason)));
        assertThat(effect(lease).id()).isEqualTo(effect);
        assertThat(effect(lease).result()).isEqualTo(result);
        assertThat(effect(lease).resolution()).isEqualTo(new Resolution(Verdict.DONE, null, by, reason));
    }

    @Test
    @DisplayName("A reason that is too long is cut like an error")
    void aLongReasonIsCut() {
        String tooLong = "x".repeat(3 * Limits.ERROR_LENGTH);
        Lease lease = intended(KEYED);
        applied(new Settlement.Park(lease, charge(lease), tooLong));
        assertThat(effect(lease).note()).isEqualTo(Limits.error(tooLong));
        assertThat(read(lease.taskId()).progress().lastError()).isEqualTo(Limits.error(tooLong));
        Operation.Resolve giveUp = resolve(
                charge(lease), lease, new Resolution(Verdict.GIVE_UP, null, "ann", "y".repeat(Limits.ERROR_LENGTH)));
        applied(giveUp);
        assertThat(read(lease.taskId()).progress().lastError()).isEqualTo(giveUp.givenUp());
    }

    @Test
    @DisplayName("Times of effects are kept to the millisecond, and the longest window is kept")
    void timesAreKeptToTheMillisecond() {
        Lease lease = begin(KEYED);
        Instant millis = clock.instant();
        clock.advance(Duration.ofNanos(999_999));
        applied(intend(lease, Duration.ofNanos(1_999_999)));
        assertThat(effect(lease).intendedAt()).isEqualTo(millis);
        assertThat(effect(lease).windowEnd()).isEqualTo(millis.plus(MILLISECOND));
        applied(done(lease));
        assertThat(effect(lease).settledAt()).isEqualTo(millis);
        EffectId other = new EffectId(lease.taskId(), "other", 0);
        applied(new Settlement.Intend(lease, other, Limits.LONGEST));
        assertThat(effects(lease.taskId()).getLast().windowEnd()).isEqualTo(millis.plus(Limits.LONGEST));
    }

    @Test
    @DisplayName("Effects are there for every handle, and for one that is opened later")
    void anotherHandleSeesTheSame() {
        TaskStore early = another();
        Lease lease = intended(KEYED);
        applied(done(lease));
        Lease parked = parked(Draft.plain());
        assertThat(early.settle(List.of(intend(lease)))).containsExactly(Settled.CONCLUDED);
        TaskStore late = another();
        for (TaskStore handle : List.of(early, late)) {
            assertThat(Snapshot.of(handle)).isEqualTo(everything());
            assertThat(handle.effects(List.of(lease.taskId())).get(lease.taskId()))
                    .isEqualTo(effects(lease.taskId()));
        }
        assertThat(late.operate(List.of(resolve(parked, Verdict.DONE)))).containsExactly(Operated.APPLIED);
        assertThat(stateOf(parked)).isEqualTo(EffectState.DONE);
        assertThat(claimOne()).isEqualTo(lease(parked.taskId(), 2));
    }

    private List<EffectRecord> listed(int limit) {
        return Snapshot.listed(store, EffectQuery.all(limit));
    }

    private static List<EffectId> idsOf(List<EffectRecord> effects) {
        return effects.stream().map(EffectRecord::id).toList();
    }
}
