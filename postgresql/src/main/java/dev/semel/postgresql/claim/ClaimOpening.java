package dev.semel.postgresql.claim;

import dev.semel.postgresql.claim.DueTasks.Read;
import dev.semel.postgresql.claim.DueTasks.Reading;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.sql.SqlStatement.RowReader;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.Lane;
import dev.semel.store.ClaimRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The round trip that begins a claim: it reads the lanes that the claim wants and, if it can be expected what the claim will
 * read of them, reads that ahead. If the claim turns out to need something else, it reads again; the rows that were read ahead
 * stay locked until its transaction ends.
 */
final class ClaimOpening implements Database.Opening {

    // A claim that is sent again, because the first one was not answered, waits on the advisory lock for the end of the
    // first one. The first number of the lock separates it from locks of other programs; claims that share the second
    // only wait for each other.
    private static final String LANES = """
        SELECT l.id, l.queue, l.tenant, l.type,
          EXISTS (SELECT 1 FROM semel.running WHERE asked) AS asked,
          coalesce((SELECT until FROM semel.lease ORDER BY until LIMIT 1)
            <= coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint), false) AS expired,
          pg_stat_get_xact_tuples_returned('semel.ready_order'::regclass) AS entries
        FROM (SELECT pg_advisory_xact_lock(736635, hashint8(?))) AS once
        JOIN semel.lane l ON l.queue = ANY (?) AND (?::text[] IS NULL OR l.type = ANY (?))
          AND (?::text IS NULL OR l.tenant = ?)
        """;

    private static final String BEGIN_AND_LANES = Database.BEGIN + ";" + LANES;
    private static final String BEGIN_AND_LANES_AND_TASKS = BEGIN_AND_LANES + ";" + DueTasks.FETCH;

    /** What is expected of the claim. */
    sealed interface Expected {

        /** It is not known what the claim will read. */
        record Unknown() implements Expected {}

        /** The claim will probably read this of these lanes. */
        record Known(List<Lane> lanes, Reading reading) implements Expected {}
    }

    /** What the opening has read of tasks. */
    sealed interface Ahead {

        /** Nothing. */
        record Nothing() implements Ahead {}

        /** Due tasks, which are locked. */
        record Tasks(Read read) implements Ahead {}
    }

    /**
     * A lane that a claim wants.
     *
     * @param asked whether a running task was asked to cancel
     * @param expired whether a shared lease has expired
     * @param entries how many index entries the connection had read before the claim read any task
     */
    record Wanted(Lane lane, boolean asked, boolean expired, long entries) {}

    private final Database database;
    private final ClaimRequest request;
    private final Expected expected;
    private final List<Wanted> wanted = new ArrayList<>();
    private Ahead ahead = new Ahead.Nothing();

    ClaimOpening(Database database, ClaimRequest request, Expected expected) {
        this.database = database;
        this.request = request;
        this.expected = expected;
    }

    /** Returns the lanes that the claim wants. */
    List<Wanted> wanted() {
        return wanted;
    }

    /** Returns what was read of tasks. */
    Ahead ahead() {
        return ahead;
    }

    @Override
    public String sql() {
        return switch (expected) {
            case Expected.Unknown unknown -> BEGIN_AND_LANES;
            case Expected.Known known -> BEGIN_AND_LANES_AND_TASKS;
        };
    }

    @Override
    public void run(SqlStatement begun, RowReader start) throws SQLException {
        wanted.clear();
        ahead = new Ahead.Nothing();
        begun.withLong(database.clockMillis())
                .with(request.claim())
                .texts(request.queues())
                .textsOrNull(request.types())
                .textsOrNull(request.types())
                .withText(request.tenant())
                .withText(request.tenant());
        RowReader lane = row -> wanted.add(wanted(row));
        switch (expected) {
            case Expected.Unknown unknown -> begun.results(start, lane);
            case Expected.Known known -> {
                long began = System.nanoTime();
                DueTasks tasks = new DueTasks(known.lanes());
                known.reading().bind(begun, database.clockMillis(), true).results(start, lane, tasks::add);
                ahead = new Ahead.Tasks(tasks.read(known.reading(), System.nanoTime() - began));
            }
        }
    }

    private Wanted wanted(ResultSet row) throws SQLException {
        return new Wanted(
                database.names()
                        .remember(
                                row.getInt("id"),
                                row.getString("queue"),
                                row.getString("tenant"),
                                row.getString("type")),
                row.getBoolean("asked"),
                row.getBoolean("expired"),
                row.getLong("entries"));
    }
}
