package dev.semel.sqlite.transaction;

import dev.semel.jdbc.Answer;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** An operation that waits for the writer, and its answer. */
final class Call<T> {

    private final Work<T> work;
    private final int weight;
    private final boolean heartbeat;
    private final Answer<T> answer = new Answer<>();
    private @Nullable T result;
    private @Nullable Throwable failure;

    Call(Work<T> work, int weight, boolean heartbeat) {
        this.work = work;
        this.weight = weight;
        this.heartbeat = heartbeat;
    }

    int weight() {
        return weight;
    }

    boolean isHeartbeat() {
        return heartbeat;
    }

    Answer<T> answer() {
        return answer;
    }

    void run(Transaction tx) throws SQLException {
        failure = null;
        result = work.run(tx);
    }

    /** Records that the operation alone failed, so that this is its answer after the commit of the others. */
    void failed(Throwable because) {
        failure = because;
    }

    void done() {
        Throwable because = failure;
        if (because == null) {
            answer.complete(result);
        } else {
            answer.fail(because);
        }
    }
}
