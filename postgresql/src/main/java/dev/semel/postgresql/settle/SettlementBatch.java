package dev.semel.postgresql.settle;

import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.transaction.BatchHalver;
import dev.semel.postgresql.transaction.Database;
import dev.semel.store.RejectedAdvances;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A batch of settlements, divided into transactions. Each transaction takes its locks in one order, so it can apply for each task any number of
 * settlements of its effects, one advance of its history, and then one that ends or extends its attempt: mostly that is the whole batch.
 *
 * <p>The settlements of one task stay together: if one of them waits too long for a lock, none that follows is applied. So no workflow waits for
 * steps that were not started.
 */
public final class SettlementBatch {

    private final Database database;
    private final WorkflowAdvancer advancer;

    public SettlementBatch(Database database, WorkflowAdvancer advancer) {
        this.database = database;
        this.advancer = advancer;
    }

    /** The settlements of one task, with their places in the batch. */
    private static final class Group {

        private final List<Settlement> settlements = new ArrayList<>();
        private final List<Integer> places = new ArrayList<>();
        private int endsAt = Integer.MAX_VALUE;
        private boolean advances;
        private boolean apart;

        void add(Settlement settlement, int place) {
            // Nothing follows an end or an extension in the same transaction.
            apart |= endsAt < place;
            if (settlement instanceof Settlement.Advance) {
                apart |= advances || !AdvanceBatch.isPossible(settlement);
                advances = true;
            } else if (!Settlements.isOfEffect(settlement)) {
                endsAt = Math.min(endsAt, place);
            }
            settlements.add(settlement);
            places.add(place);
        }

        /** Orders groups by the ends in them: that is the order of what follows from these. */
        int place() {
            return Math.min(endsAt, places.getLast());
        }
    }

    /** Applies a batch, and returns the answers in its order. */
    public List<Settled> settle(List<Settlement> batch) {
        if (isPlain(batch)) {
            return BatchHalver.run(database, List.of(batch), this::together);
        }
        List<Group> groups = groups(batch);
        List<List<Settled>> answers = BatchHalver.run(database, parts(groups), this::apply);
        Settled[] inOrder = new Settled[batch.size()];
        for (int i = 0; i < groups.size(); i++) {
            for (int k = 0; k < answers.get(i).size(); k++) {
                inOrder[groups.get(i).places.get(k)] = answers.get(i).get(k);
            }
        }
        return Arrays.asList(inOrder);
    }

    /** Returns whether a batch has one settlement for each task, and no advance. */
    private static boolean isPlain(List<Settlement> batch) {
        Set<TaskId> tasks = HashSet.newHashSet(batch.size());
        for (Settlement settlement : batch) {
            if (settlement instanceof Settlement.Advance
                    || !tasks.add(settlement.lease().taskId())) {
                return false;
            }
        }
        return !batch.isEmpty();
    }

    private static List<Group> groups(List<Settlement> batch) {
        Map<TaskId, Group> groups = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            groups.computeIfAbsent(batch.get(i).lease().taskId(), id -> new Group())
                    .add(batch.get(i), i);
        }
        List<Group> sorted = new ArrayList<>(groups.values());
        sorted.sort(Comparator.comparingInt(Group::place));
        return sorted;
    }

    /** Returns the groups of each transaction; one that is apart has several, one after the other. */
    private static List<List<Group>> parts(List<Group> groups) {
        List<List<Group>> parts = new ArrayList<>();
        for (Group group : groups) {
            if (parts.isEmpty() || group.apart || parts.getLast().getLast().apart) {
                parts.add(new ArrayList<>());
            }
            parts.getLast().add(group);
        }
        return parts;
    }

    private List<List<Settled>> apply(List<Group> part) throws SQLException {
        if (part.getFirst().apart) {
            return List.of(oneByOne(part.getFirst().settlements));
        }
        List<Settlement> settlements = new ArrayList<>();
        part.forEach(group -> settlements.addAll(group.settlements));
        List<Settled> all = together(settlements);
        List<List<Settled>> answers = new ArrayList<>();
        int next = 0;
        for (Group group : part) {
            int end = next + group.settlements.size();
            answers.add(all.subList(next, end));
            next = end;
        }
        return answers;
    }

    private List<Settled> together(List<Settlement> settlements) throws SQLException {
        NewSteps steps = NewSteps.of(database, settlements);
        SharedLeases leases =
                new SharedLeases(settlements.stream().map(Settlement::lease).toList());
        return database.writeOrThrow(leases, tx -> new Settlements(tx, leases, steps).settle(settlements));
    }

    private List<Settled> oneByOne(List<Settlement> settlements) throws SQLException {
        RejectedAdvances rejected = new RejectedAdvances();
        List<Settled> answers = new ArrayList<>();
        for (Settlement settlement : settlements) {
            Optional<Settled> known = rejected.answer(settlement);
            Settled answer = known.isPresent() ? known.get() : alone(settlement);
            rejected.note(settlement, answer);
            answers.add(answer);
        }
        return answers;
    }

    private Settled alone(Settlement settlement) throws SQLException {
        return settlement instanceof Settlement.Advance advance && !AdvanceBatch.isPossible(advance)
                ? advancer.advance(advance)
                : together(List.of(settlement)).getFirst();
    }
}
