package dev.semel.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.sql.ErrorTranslator.Kind;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each SQLSTATE means, for tasks and guard alike. */
class ErrorTranslatorTest {

    private static final String WHICH = "The PostgreSQL store of this test";

    @ParameterizedTest(name = "{0} ({2})")
    @CsvSource({
        "08000, NO_ANSWER, connection exception",
        "08001, NO_ANSWER, cannot connect",
        "08006, NO_ANSWER, connection failure",
        "08P01, NO_ANSWER, protocol violation that names no prepared statement",
        "22021, UNEXPECTED, character not in repertoire",
        "23505, UNEXPECTED, unique violation",
        "23514, UNEXPECTED, check violation",
        "08004, REJECTED, no password was given",
        "25006, NO_ANSWER, read-only transaction",
        "25P02, UNEXPECTED, in a failed transaction",
        "25P03, NO_ANSWER, idle in transaction time-out",
        "25P04, NO_ANSWER, transaction time-out",
        "28000, REJECTED, invalid authorization",
        "28P01, REJECTED, invalid password",
        "3D000, REJECTED, no such database",
        "40000, CONTENDED, transaction rollback",
        "40001, CONTENDED, serialization failure",
        "40003, NO_ANSWER, statement completion unknown",
        "40P01, CONTENDED, deadlock",
        "42501, REJECTED, insufficient privilege",
        "42703, UNEXPECTED, undefined column",
        "42P01, UNEXPECTED, undefined table",
        "53100, NO_ANSWER, disk full",
        "53200, NO_ANSWER, out of memory",
        "53300, NO_ANSWER, too many connections",
        "55000, NO_ANSWER, database accepts no connections",
        "55006, CONTENDED, object in use",
        "55P02, UNEXPECTED, cannot change a runtime parameter",
        "55P03, CONTENDED, lock not available",
        "57014, NO_ANSWER, query cancelled",
        "57P01, NO_ANSWER, administrator's shutdown",
        "57P03, NO_ANSWER, cannot connect now",
        "58030, NO_ANSWER, I/O error of the server",
        "XX000, UNEXPECTED, internal error",
    })
    void aSqlstateHasOneMeaning(String state, Kind kind, String what) {
        SQLException e = new SQLException(what, state);
        assertThat(ErrorTranslator.kind(e)).isEqualTo(kind);
        assertThat(ErrorTranslator.translated(WHICH, e))
                .isInstanceOf(
                        kind == Kind.CONTENDED || kind == Kind.NO_ANSWER ? StoreUnavailable.class : StoreUnusable.class)
                .hasMessageStartingWith(WHICH + " ")
                .hasMessageContaining("SQLSTATE " + state)
                .hasCause(e);
    }

    @ParameterizedTest
    @CsvSource({
        "40001, true",
        "40P01, true",
        "40003, false",
        "55006, false",
        "55P03, false",
        "23505, false",
        "08006, false",
    })
    void onlyTransactionsThatLostAgainstAnotherAreRetriedByTheStore(String state, boolean retried) {
        assertThat(ErrorTranslator.isWorthAnotherTry(new SQLException("x", state)))
                .isEqualTo(retried);
    }

    @ParameterizedTest
    @CsvSource({
        "08006, true",
        "40003, true",
        "53300, true",
        "57P01, true",
        "57014, false",
        "40001, false",
        "40P01, false",
        "55006, false",
        "55P03, false",
        "22012, false",
    })
    void aHandlersStatementFailsByTheServerOrByItself(String state, boolean ofServer) {
        assertThat(ErrorTranslator.isOfServer(new SQLException("x", state))).isEqualTo(ofServer);
    }

    @Test
    void theCauseOfAFailedConnectionIsNamed() {
        assertThat(ErrorTranslator.translated(
                        WHICH, new SQLException("x", "08001", new UnknownHostException("no-such-host"))))
                .hasMessageContaining("its host is unknown");
        assertThat(ErrorTranslator.translated(
                        WHICH,
                        new SQLTransientConnectionException(
                                "waited", "08001", new SQLException("x", "08001", new ConnectException("refused")))))
                .hasMessageContaining("the connection was refused");
        assertThat(ErrorTranslator.translated(
                        WHICH, new SQLException("x", "08006", new SocketTimeoutException("Read timed out"))))
                .hasMessageContaining("did not answer in time");
        assertThat(ErrorTranslator.translated(WHICH, new SQLTransientConnectionException("waited")))
                .hasMessageContaining("no free connection");
    }

    @Test
    void anAbortedTransactionIsNotATableOfAnotherVersion() {
        SQLException aborted = new SQLException("current transaction is aborted", "25P02");
        assertThat(ErrorTranslator.translated(WHICH, aborted)).hasMessageNotContaining("tables");
        assertThat(ErrorTranslator.translatedWhileJoined(WHICH, aborted))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("a statement has failed");
        assertThat(ErrorTranslator.translated(WHICH, new SQLException("no table", "42P01")))
                .hasMessageContaining("tables that this version of Semel creates");
    }

    @Test
    void anErrorWithoutAStateIsThatOfAPoolOrAConnection() {
        assertThat(ErrorTranslator.kind(new SQLException("the pool is empty"))).isEqualTo(Kind.NO_ANSWER);
        assertThat(ErrorTranslator.kind(new SQLException("odd", "4"))).isEqualTo(Kind.UNEXPECTED);
        assertThat(ErrorTranslator.translated(WHICH, new SQLException("the pool is empty")))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("no SQLSTATE");
    }

    @Test
    void theStateOfARejectionIsHeardThroughAPoolThatCallsItPassing() {
        SQLException rejected = new SQLException("no such user", "28P01");
        assertThat(ErrorTranslator.kind(new SQLTransientConnectionException("waited", "28P01", rejected)))
                .isEqualTo(Kind.REJECTED);
    }

    @Test
    void aBrokenConnectionIsRecognizedByTheClassOfAnException() {
        assertThat(ErrorTranslator.kind(new SQLTransientConnectionException("waited", "HY000")))
                .isEqualTo(Kind.NO_ANSWER);
        assertThat(ErrorTranslator.kind(new SQLRecoverableException("closed", "HY000")))
                .isEqualTo(Kind.NO_ANSWER);
        assertThat(ErrorTranslator.kind(new SQLException("reset", "HY000", new IOException("reset"))))
                .isEqualTo(Kind.NO_ANSWER);
    }
}
