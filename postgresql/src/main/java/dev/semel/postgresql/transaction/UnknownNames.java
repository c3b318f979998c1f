package dev.semel.postgresql.transaction;

import dev.semel.store.NewTask;

/**
 * A transaction submits a task with names that have no numbers yet. They are made in a transaction of their own, and then the
 * first one is run again.
 */
final class UnknownNames extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient NewTask task;

    UnknownNames(NewTask task) {
        super("new names", null, false, false);
        this.task = task;
    }

    NewTask task() {
        return task;
    }
}
