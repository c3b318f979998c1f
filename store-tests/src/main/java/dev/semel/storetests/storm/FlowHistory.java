package dev.semel.storetests.storm;

import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.Task;
import dev.semel.task.AttemptId;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What one actor read of workflows. Like {@link StormHistory} it is written by one thread without locks. */
final class FlowHistory {

    /**
     * A read of a workflow's history.
     *
     * @param query the question
     * @param known the generation that the reader knows; 1 if it asks for everything
     * @param history the answer
     * @param span when
     */
    record Read(History.Query query, int known, History history, Span span) {

        TaskId workflow() {
            return query.workflow();
        }

        /** The generation of the history that was read. */
        int generation() {
            return newest(known, history);
        }

        /** Returns whether its question had the lines of an older generation, so that it does not say how many there are. */
        boolean isOutdated() {
            return query.lines() > 0 && generation() > known;
        }

        int lines() {
            return query.lines() + history.lines().size();
        }

        /** The number of the newest entry that the reader knows from then on. */
        int inbox() {
            return history.inbox().isEmpty()
                    ? query.inbox()
                    : history.inbox().getLast().number();
        }
    }

    static int newest(int known, History history) {
        List<Generation> begun = Generation.all(history.inbox());
        return begun.isEmpty() ? known : begun.getLast().number();
    }

    /**
     * A workflow that did not change while its history was read.
     *
     * @param task as it was before and after
     * @param history the whole history in between
     * @param now the store's time after that, at the latest
     */
    record Still(Task task, History history, Instant now) {}

    private final Map<AttemptId, Integer> attempts = new HashMap<>();
    private final List<Read> reads = new ArrayList<>();
    private final List<Still> stills = new ArrayList<>();

    void read(Read read) {
        reads.add(read);
    }

    /** An attempt has read the history: if it still runs, and in no other case it changes anything, that is its generation to its end. */
    void learned(AttemptId attempt, int generation) {
        attempts.putIfAbsent(attempt, generation);
    }

    Map<AttemptId, Integer> attempts() {
        return attempts;
    }

    void still(Still still) {
        stills.add(still);
    }

    List<Still> stills() {
        return stills;
    }

    List<Read> reads() {
        return reads;
    }
}
