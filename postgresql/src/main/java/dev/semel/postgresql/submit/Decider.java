package dev.semel.postgresql.submit;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.table.KeyRecords.Found;
import dev.semel.postgresql.transaction.Names;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.Decision;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Decides about submissions whose key is held, by {@link Decision}, and answers those that change nothing. */
final class Decider {

    private static final String INPUT = "SELECT input FROM semel.task WHERE id = ?";

    /** Reads the input of the task that holds a key; null if the input is not stored any more. */
    interface InputReader {
        @Nullable
        String read(Found found) throws SQLException;
    }

    private final Session session;
    private final Names names;
    private final long now;

    /** Decides as of a time, in milliseconds since 1970. */
    Decider(Session session, Names names, long now) {
        this.session = session;
        this.names = names;
        this.now = now;
    }

    Decision decide(NumberedTask submission, Found found) throws SQLException {
        NewTask.KeyRequest request = submission.request();
        return Decision.decide(
                new Decision.Existing(
                        names.lane(session, found.lane()).type(),
                        found.inputHash(),
                        found.state(),
                        found.run(),
                        found.windowPassed(now)),
                new Decision.Request(submission.task().type(), request.inputHash()),
                request.policy());
    }

    /** Whether the key gets another owner. */
    static boolean changesOwner(Decision decision) {
        return switch (decision) {
            case Decision.Create create -> true;
            case Decision.Rerun rerun -> true;
            case Decision.Replace replace -> true;
            case Decision.Return returned -> false;
            case Decision.Reject rejected -> false;
            case Decision.Conflict conflict -> false;
        };
    }

    /** The answer to a duplicate that changes nothing. */
    Submitted answer(Decision decision, Found found, InputReader input) throws SQLException {
        return switch (decision) {
            case Decision.Return(boolean differs) -> new Submitted.Returned(existing(found, null), differs);
            case Decision.Reject(boolean differs) -> new Submitted.Rejected(existing(found, null), differs);
            case Decision.Conflict() -> new Submitted.Conflicted(existing(found, input.read(found)));
            case Decision.Create create -> throw changing(decision);
            case Decision.Rerun rerun -> throw changing(decision);
            case Decision.Replace replace -> throw changing(decision);
        };
    }

    private static IllegalStateException changing(Decision decision) {
        return new IllegalStateException("Expected a decision that leaves the key with its owner, but got " + decision);
    }

    /** The stored input of the task that holds a key. */
    @Nullable
    String storedInput(Found found) throws SQLException {
        return found.stored() ? session.planned(INPUT).with(found.taskId()).first(row -> row.getString(1)) : null;
    }

    private ExistingTask existing(Found found, @Nullable String input) throws SQLException {
        return new ExistingTask(
                found.taskId(),
                names.lane(session, found.lane()).type(),
                found.run(),
                found.state(),
                found.inputHash(),
                Instant.ofEpochMilli(found.createdAt()),
                found.finishedAt(),
                found.dataGone(),
                input,
                found.result());
    }
}
