package dev.semel.spring.autoconfigure;

import dev.semel.guard.GuardStore;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The place in which the application keeps its tasks and the outcomes of guarded calls. */
interface Storage {

    /** Opens the store of the tasks. */
    TaskStore tasks();

    /** Opens the store of the guard. */
    GuardStore guards();

    /** Returns the data source whose transactions submissions join, or null if no transaction can be joined. */
    @Nullable
    DataSource source();

    /** Memory, for tests. */
    final class Memory implements Storage {

        @Override
        public TaskStore tasks() {
            return new InMemoryTaskStore();
        }

        @Override
        public GuardStore guards() {
            return new InMemoryGuardStore();
        }

        @Override
        public @Nullable DataSource source() {
            return null;
        }
    }
}
