package dev.semel;

import dev.semel.store.Attempt;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The lookup of tasks. It reads what is stored and changes nothing. */
public final class Tasks {

    private final TaskStore store;

    Tasks(TaskStore store) {
        this.store = store;
    }

    /**
     * Looks up a task.
     *
     * @param id its id
     * @return the task; empty if there is none, or its data is no longer stored
     */
    public Optional<Task> find(TaskId id) {
        return Optional.ofNullable(
                store.find(List.of(Limits.notNull("task id", id))).get(id));
    }

    /**
     * Looks up several tasks.
     *
     * @param ids their ids
     * @return those that are stored, by id
     */
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return store.find(Limits.notNull("collection of task ids", ids));
    }

    /**
     * Looks up the newest task of a key.
     *
     * @param identity the identity of the key
     * @return the task; empty if none is stored
     */
    public Optional<Task> findByKey(Identity identity) {
        return store.list(TaskQuery.of(Limits.notNull("identity", identity), 1)).tasks().stream()
                .findFirst();
    }

    /**
     * Lists one page of tasks, newest first.
     *
     * @param query which tasks, and the page size
     * @return the tasks, and where the next page begins
     */
    public Page list(TaskQuery query) {
        return store.list(Limits.notNull("query", query));
    }

    /**
     * Lists all tasks of a query, newest first. Pages are read while the stream is consumed, so it needs little memory.
     *
     * @param query which tasks, and the page size
     * @return the tasks; one that ends or begins meanwhile may be missing, but none occurs twice
     */
    public Stream<Task> stream(TaskQuery query) {
        return StreamSupport.stream(new Pages(Limits.notNull("query", query)), false);
    }

    /**
     * Looks up the attempts of a task.
     *
     * @param id its id
     * @return its attempts, oldest first; empty if there are none, or they are no longer stored
     */
    public List<Attempt> attempts(TaskId id) {
        return store.attempts(List.of(Limits.notNull("task id", id))).getOrDefault(id, List.of());
    }

    private final class Pages extends Spliterators.AbstractSpliterator<Task> {

        private @Nullable TaskQuery next;
        private List<Task> page = List.of();
        private int position;

        Pages(TaskQuery query) {
            super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
            this.next = query;
        }

        @Override
        public boolean tryAdvance(Consumer<? super Task> action) {
            while (position == page.size()) {
                TaskQuery query = next;
                if (query == null) {
                    return false;
                }
                Page read = store.list(query);
                TaskId after = read.next();
                page = read.tasks();
                position = 0;
                next = after == null ? null : query.after(after);
            }
            action.accept(page.get(position));
            position++;
            return true;
        }
    }
}
