package dev.semel.jdbc;

import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.jdbc.PostgresStatement.RowReader;
import dev.semel.jdbc.PostgresTurns.Read;
import dev.semel.jdbc.PostgresTurns.Reading;
import dev.semel.jdbc.PostgresTurns.Rows;
import dev.semel.store.ClaimRequest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The round trip that begins a claim: the lanes that it wants, and what it will probably read of them. If it turns out to need
 * something else, what was read is only locked until the transaction ends, and read again.
 */
final class PostgresClaimBeginning implements PostgresDatabase.Opening {

    // The lock makes a claim that is sent again, because the first one gave no answer yet, wait for the first one's
    // end. Its first number keeps it apart from other people's locks; claims that share the second only wait for each
    // other.
    private static final String LANES = PostgresDatabase.BEGIN + """
            ;
            SELECT l.id, l.queue, l.tenant, l.type, EXISTS (SELECT 1 FROM semel.running WHERE asked),
              coalesce((SELECT until FROM semel.lease ORDER BY until LIMIT 1)
                <= coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint), false),\s""" + PostgresStarts.COUNT + """
             FROM (SELECT pg_advisory_xact_lock(736635, hashint8(?))) AS once
            JOIN semel.lane l ON l.queue = ANY (?) AND (?::text[] IS NULL OR l.type = ANY (?))
            """;

    private static final String LANES_AND_TASKS = LANES + ";" + PostgresTurns.FETCH_UNLESS_ASKED;

    /**
     * A lane that a claim wants, and whether something has to be done before it takes anything.
     *
     * @param read the {@link PostgresStarts#COUNT} before anything is read
     */
    record Wanted(Lane lane, boolean asked, boolean expired, long read) {}

    private final PostgresDatabase database;
    private final ClaimRequest request;
    private final List<Lane> expectedLanes;
    private final @Nullable Reading expected;
    private final List<Wanted> wanted = new ArrayList<>();
    private @Nullable Read read;

    /**
     * Makes one.
     *
     * @param expected what the claim will probably read of these lanes, or null if nobody knows
     */
    PostgresClaimBeginning(
            PostgresDatabase database, ClaimRequest request, List<Lane> expectedLanes, @Nullable Reading expected) {
        this.database = database;
        this.request = request;
        this.expectedLanes = expectedLanes;
        this.expected = expected;
    }

    List<Wanted> wanted() {
        return wanted;
    }

    /** What was expected, as it was read; null if nothing was. */
    @Nullable
    Read read() {
        return read;
    }

    @Override
    public String sql() {
        return expected == null ? LANES : LANES_AND_TASKS;
    }

    @Override
    public void run(PostgresStatement begun, RowReader start) throws SQLException {
        wanted.clear();
        read = null;
        begun.withLong(database.clockMillis())
                .with(request.claim())
                .texts(request.queues())
                .textsOrNull(request.types())
                .textsOrNull(request.types());
        RowReader lane = row -> wanted.add(new Wanted(
                database.names().remember(row.getInt(1), row.getString(2), row.getString(3), row.getString(4)),
                row.getBoolean(5),
                row.getBoolean(6),
                row.getLong(7)));
        if (expected == null) {
            begun.results(start, lane);
            return;
        }
        long began = System.nanoTime();
        Rows rows = new Rows(expectedLanes);
        expected.bind(begun, database.clockMillis()).results(start, lane, rows::add);
        read = rows.read(expected, System.nanoTime() - began);
    }
}
