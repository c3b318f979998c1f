package dev.semel.sqlite.table;

import dev.semel.sqlite.transaction.Lane;
import dev.semel.store.NewTask;
import java.util.Objects;

/**
 * A submission with the numbers that stand for its names.
 *
 * @param scope that of its key; 0 without one
 */
public record NumberedTask(NewTask task, Lane lane, int scope) {

    public NewTask.KeyRequest request() {
        return Objects.requireNonNull(task.key());
    }
}
