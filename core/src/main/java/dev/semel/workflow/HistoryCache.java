package dev.semel.workflow;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The histories that this process has read, so that a workflow that is woken here again reads only what is new. A history only grows,
 * until another generation begins, which the entry of that says; so what is kept is a beginning. Bounded by size: the history that was not used for the longest time goes first.
 */
final class HistoryCache {

    private static final long MOST = 16L << 20;
    private static final long PER_LINE = 200;

    private record Key(TaskId task, Instant createdAt) {}

    private record Kept(History history, long size) {}

    // Both guarded by the monitor of this object.
    private final Map<Key, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long size;

    /** Returns what is known of a workflow's history. */
    synchronized History get(Task task) {
        // An id can begin another life after its data was deleted; its first attempt has no history.
        Kept found = task.progress().attempt() == 1 ? null : kept.get(key(task));
        return found == null ? new History(List.of(), List.of(), Instant.EPOCH) : found.history;
    }

    /** Keeps a history, unless a longer one is kept. */
    synchronized void put(Task task, History history) {
        Kept next = new Kept(history, size(history));
        if (next.size > MOST / 4) {
            remove(kept.remove(key(task)));
            return;
        }
        remove(kept.put(key(task), next));
        size += next.size;
        while (size > MOST) {
            remove(kept.remove(kept.keySet().iterator().next()));
        }
    }

    private void remove(@Nullable Kept gone) {
        size -= gone == null ? 0 : gone.size;
    }

    // The time distinguishes two lives of one id.
    private static Key key(Task task) {
        return new Key(task.id(), task.createdAt());
    }

    private static long size(History history) {
        long sum = (history.lines().size() + history.inbox().size() + 1) * PER_LINE;
        for (HistoryLine line : history.lines()) {
            sum += length(line.document());
        }
        for (InboxEntry entry : history.inbox()) {
            sum += length(entry.document()) + length(entry.error());
        }
        return sum;
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
