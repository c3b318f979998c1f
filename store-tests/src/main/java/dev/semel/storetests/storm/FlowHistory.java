package dev.semel.storetests.storm;

import dev.semel.store.History;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What one actor read of workflows. Like {@link StormHistory} it is written by one thread without locks. */
final class FlowHistory {

    /**
     * A read of a workflow's history.
     *
     * @param query the question
     * @param history the answer
     * @param span when
     */
    record Read(History.Query query, History history, Span span) {

        TaskId workflow() {
            return query.workflow();
        }
    }

    /**
     * A workflow that did not change while its history was read.
     *
     * @param task as it was before and after
     * @param history the whole history in between
     * @param now the store's time after that, at the latest
     */
    record Still(Task task, History history, Instant now) {}

    private final List<Read> reads = new ArrayList<>();
    private final List<Still> stills = new ArrayList<>();

    void read(Read read) {
        reads.add(read);
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
