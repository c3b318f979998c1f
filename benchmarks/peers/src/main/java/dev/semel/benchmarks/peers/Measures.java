package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Callers;
import dev.semel.benchmarks.Lap;
import dev.semel.benchmarks.Raw;
import dev.semel.benchmarks.RawStore;
import dev.semel.benchmarks.peers.Measure.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/** All measures of throughput, and how a sample of each is taken. */
final class Measures {

    static final String SUBMITTING = "Submitting";
    static final String DUPLICATES = "Duplicates";
    static final String RUNNING = "Running";
    static final String WORKFLOWS = "Workflows";

    /** Bytes of the server's log for each task. */
    static final String LOG = "log, bytes per task";

    /** Rows that were updated or deleted, each of which leaves a dead row behind. */
    static final String DEAD = "dead rows per task";

    /** Executions beyond one for each task. */
    static final String EXTRA = "extra executions";

    // The number of tasks that exist before duplicates of them are submitted.
    private static final int KNOWN = 1_000;

    // A contestant without batches fills a queue with this many callers.
    private static final int FILLERS = 32;

    // DBOS looks once a second whether a queued step has ended. With few workflows that alone would be measured.
    private static final int LEAST_QUEUED = 2_000;

    private static final long LONGEST_SECONDS = 120;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    // Created only when a sample is taken, because listing the measures needs no server.
    private final Supplier<Server> server;
    private final List<Measure> all = new ArrayList<>();

    Measures(Supplier<Server> server) {
        this.server = server;
        for (boolean keyed : List.of(false, true)) {
            submitting(1, 500, 8_000, keyed);
            submitting(8, 2_000, 24_000, keyed);
            submitting(64, 4_000, 60_000, keyed);
        }
        for (boolean keyed : List.of(false, true)) {
            all.add(new Measure(
                    keyed ? "submit-batch-key" : "submit-batch",
                    SUBMITTING,
                    "batches of 1,000, " + described(keyed),
                    10_000,
                    200_000,
                    Contestant::hasBatches,
                    (contestant, number) -> submitInBatches(contestant, number, keyed),
                    (raw, number) -> Raw.insertInBatches(raw, rows(Piece.fresh(number, keyed)), false)));
        }
        duplicates();
        all.add(new Measure(
                "drain", RUNNING, "drain", 2_000, 400_000, contestant -> true, this::drain, (raw, number) -> {
                    Raw.insertInBatches(raw, rows(Piece.fresh(number, false)), false);
                    return Raw.drain(raw, number);
                }));
        all.add(new Measure(
                "life-key",
                RUNNING,
                "whole life, with key",
                2_000,
                400_000,
                contestant -> true,
                this::life,
                (raw, number) -> Raw.life(raw, rows(Piece.fresh(number, true)))));
        for (Steps steps : Steps.values()) {
            all.add(new Measure(
                    "workflow-" + steps.word() + "-" + Steps.COUNT,
                    WORKFLOWS,
                    Steps.COUNT + " " + steps.word() + " steps, 64 callers",
                    steps == Steps.QUEUED ? LEAST_QUEUED : 200,
                    20_000,
                    Contestant::hasWorkflows,
                    (contestant, number) -> workflows(contestant, number, steps),
                    null));
        }
    }

    List<Measure> all() {
        return all;
    }

    private static String described(boolean keyed) {
        return keyed ? "with key" : "without key";
    }

    private void submitting(int callers, int least, int most, boolean keyed) {
        all.add(new Measure(
                "submit-" + callers + (keyed ? "-key" : ""),
                SUBMITTING,
                callers + (callers == 1 ? " caller, " : " callers, ") + described(keyed),
                least,
                most,
                contestant -> true,
                (contestant, number) -> submitSingly(contestant, Piece.fresh(number, keyed), callers, 0, number),
                (raw, number) -> Raw.insertSingly(raw, rows(Piece.fresh(number, keyed)), callers)));
    }

    private void duplicates() {
        for (boolean halfNew : List.of(true, false)) {
            all.add(new Measure(
                    halfNew ? "half-duplicates-64" : "duplicates-64",
                    DUPLICATES,
                    (halfNew ? "50 % duplicates" : "all duplicates") + ", 64 callers",
                    4_000,
                    halfNew ? 60_000 : 200_000,
                    contestant -> true,
                    (contestant, number) -> submitSingly(
                            contestant,
                            Piece.mixed(KNOWN, number, halfNew),
                            64,
                            KNOWN,
                            KNOWN + (halfNew ? number / 2 : 0)),
                    (raw, number) -> {
                        raw.insert(rows(Piece.fresh(KNOWN, true)), false);
                        return Raw.insertShared(raw, rows(Piece.mixed(KNOWN, number, halfNew)), 64, !halfNew);
                    }));
        }
        all.add(new Measure(
                "duplicates-batch",
                DUPLICATES,
                "all duplicates, batches of 1,000",
                10_000,
                200_000,
                Contestant::takesDuplicatesInBatches,
                (contestant, number) -> duplicatesInBatches(contestant, number),
                (raw, number) -> {
                    raw.insert(rows(Piece.fresh(KNOWN, true)), false);
                    return Raw.insertInBatches(raw, rows(Piece.mixed(KNOWN, number, false)), true);
                }));
    }

    private static List<RawStore.Row> rows(List<Piece> pieces) {
        List<RawStore.Row> rows = new ArrayList<>(pieces.size());
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            String input = JSON.writeValueAsString(new SemelContestant.Work(piece.number(), piece.filler()));
            rows.add(Raw.row(i, piece.number(), piece.key(), input));
        }
        return rows;
    }

    private Place fresh(Contestant contestant) {
        return server.get().fresh(contestant.name(), contestant::makeTables);
    }

    private Reading submitSingly(Contestant contestant, List<Piece> pieces, int callers, int known, int expected) {
        try (Place place = fresh(contestant);
                Session session = contestant.open(place, new Executions(0))) {
            fill(contestant, session, Piece.fresh(known, true));
            server.get().settle();
            Lap lap = Callers.run(server.get()::logBytes, callers, pieces.size(), i -> session.submit(pieces.get(i)));
            return submitted(contestant, place, lap, pieces.size(), expected);
        }
    }

    private Reading submitInBatches(Contestant contestant, int number, boolean keyed) {
        List<Piece> pieces = Piece.fresh(number, keyed);
        try (Place place = fresh(contestant);
                Session session = contestant.open(place, new Executions(0))) {
            server.get().settle();
            Lap.Begun began = Lap.begin(server.get()::logBytes);
            inBatches(session, pieces);
            return submitted(contestant, place, began.end(), number, number);
        }
    }

    private Reading duplicatesInBatches(Contestant contestant, int number) {
        List<Piece> pieces = Piece.mixed(KNOWN, number, false);
        try (Place place = fresh(contestant);
                Session session = contestant.open(place, new Executions(0))) {
            fill(contestant, session, Piece.fresh(KNOWN, true));
            server.get().settle();
            Lap.Begun began = Lap.begin(server.get()::logBytes);
            inBatches(session, pieces);
            return submitted(contestant, place, began.end(), number, KNOWN);
        }
    }

    private static Reading submitted(Contestant contestant, Place place, Lap lap, int number, long expected) {
        long stored = place.number(contestant.stored());
        if (stored != expected) {
            throw new IllegalStateException("Expected " + contestant.name() + " to have stored " + expected + " tasks,"
                    + " but it has " + stored + ", so the figure is not valid");
        }
        return new Reading(lap, Map.of(LOG, lap.loggedPer(number)));
    }

    private static void fill(Contestant contestant, Session session, List<Piece> pieces) {
        if (contestant.hasBatches()) {
            inBatches(session, pieces);
        } else {
            Callers.run(() -> 0, FILLERS, pieces.size(), i -> session.submit(pieces.get(i)));
        }
    }

    private static void inBatches(Session session, List<Piece> pieces) {
        for (int from = 0; from < pieces.size(); from += Contestant.BATCH) {
            session.submitBatch(pieces.subList(from, Math.min(pieces.size(), from + Contestant.BATCH)));
        }
    }

    /**
     * Measures from the first task's start to the last one's end, so that start-up and the first poll are not included.
     */
    private Reading drain(Contestant contestant, int number) {
        Executions executions = new Executions(number);
        try (Place place = fresh(contestant)) {
            Lap lap;
            try (Session session = contestant.open(place, executions)) {
                server.get().settle();
                fill(contestant, session, Piece.fresh(number, false));
                // Autovacuum would do this later: no contestant should drain with plans made for an empty table.
                place.execute("ANALYZE");
                Lap.Begun began = Lap.begin(server.get()::logBytes);
                session.work();
                executions.await(number, LONGEST_SECONDS);
                place.awaitNone(contestant.unsettled());
                long ended = System.nanoTime();
                Lap whole = began.end();
                lap = new Lap(ended - executions.firstAt(), whole.processorNanos(), whole.logged());
            }
            return new Reading(lap, details(place, executions, lap, number));
        }
    }

    /** Measures from the first submission to the last task's end, with workers that run from the beginning. */
    private Reading life(Contestant contestant, int number) {
        Executions executions = new Executions(number);
        List<Piece> pieces = Piece.fresh(number, true);
        try (Place place = fresh(contestant)) {
            Lap lap;
            try (Session session = contestant.open(place, executions)) {
                server.get().settle();
                session.work();
                Lap.Begun began = Lap.begin(server.get()::logBytes);
                if (contestant.hasBatches()) {
                    inBatches(session, pieces);
                } else {
                    Callers.run(() -> 0, 64, number, i -> session.submitHere(pieces.get(i)));
                }
                executions.await(number, LONGEST_SECONDS);
                place.awaitNone(contestant.unsettled());
                lap = began.end();
            }
            return new Reading(lap, details(place, executions, lap, number));
        }
    }

    /** Measures from the first start to the last workflow's end, with workers that run from the beginning. */
    private Reading workflows(Contestant contestant, int number, Steps steps) {
        int all = number * Steps.COUNT;
        Executions executions = new Executions(all);
        try (Place place = fresh(contestant)) {
            Lap lap;
            try (Session session = contestant.open(place, executions)) {
                server.get().settle();
                session.workOnWorkflows();
                Lap.Begun began = Lap.begin(server.get()::logBytes);
                Callers.run(() -> 0, 64, number, i -> session.startWorkflow(i, steps));
                executions.await(all, LONGEST_SECONDS);
                place.awaitNone(contestant.unsettled());
                lap = began.end();
            }
            Map<String, Double> details = new LinkedHashMap<>();
            details.put("log, bytes per workflow", lap.loggedPer(number));
            details.put(EXTRA, (double) executions.extra(all));
            return new Reading(lap, details);
        }
    }

    private static Map<String, Double> details(Place place, Executions executions, Lap lap, int number) {
        Map<String, Double> details = new LinkedHashMap<>();
        details.put(LOG, lap.loggedPer(number));
        details.put(DEAD, (double) place.deadRows() / number);
        details.put(EXTRA, (double) executions.extra(number));
        return details;
    }
}
