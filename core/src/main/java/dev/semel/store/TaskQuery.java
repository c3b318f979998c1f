package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks to list, newest first. A filter that is null matches all.
 *
 * @param tenant the tenant
 * @param queue the queue
 * @param type the task type
 * @param states the states; empty matches all
 * @param identity the identity: all its runs
 * @param parent a workflow: the tasks that are its steps, which its history names for as long as it is stored
 * @param workflows whether only workflows are listed: tasks that were submitted as such, or have a history
 * @param tag a tag: the tasks that were submitted with it
 * @param before the end of the previous page: only tasks with a smaller id are listed; null for the first page
 * @param limit the page size: the maximum number of tasks of one page
 */
public record TaskQuery(
        @Nullable String tenant,
        @Nullable String queue,
        @Nullable String type,
        Set<TaskState> states,
        @Nullable Identity identity,
        @Nullable TaskId parent,
        boolean workflows,
        @Nullable String tag,
        @Nullable TaskId before,
        int limit) {

    /** The maximum number of tasks of one page. */
    public static final int MAX_LIMIT = 1_000;

    /** Checks and copies. */
    public TaskQuery {
        Limits.notNull("set of states", states);
        for (TaskState state : states) {
            Limits.notNull("state", state);
        }
        states = Set.copyOf(states);
        if (tag != null) {
            Limits.name("tag", tag);
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidInput("A page has 1 to " + MAX_LIMIT + " tasks, but got limit \"" + limit + "\".");
        }
    }

    /**
     * Creates a query for tasks of any kind and parent.
     *
     * @param tenant the tenant
     * @param queue the queue
     * @param type the task type
     * @param states the states; empty matches all
     * @param identity the identity: all its runs
     * @param before the end of the previous page; null for the first page
     * @param limit the page size
     */
    public TaskQuery(
            @Nullable String tenant,
            @Nullable String queue,
            @Nullable String type,
            Set<TaskState> states,
            @Nullable Identity identity,
            @Nullable TaskId before,
            int limit) {
        this(tenant, queue, type, states, identity, null, false, null, before, limit);
    }

    /**
     * Returns whether a task passes the filters, except for those of the parent and the workflows.
     *
     * @param task the task
     * @return true if it is selected
     */
    public boolean selects(Task task) {
        return (tenant == null || tenant.equals(task.tenant()))
                && (queue == null || queue.equals(task.queue()))
                && (type == null || type.equals(task.type()))
                && (states.isEmpty() || states.contains(task.state()))
                && (identity == null || identity.equals(task.identity()))
                && (tag == null || task.options().tags().contains(tag));
    }

    /**
     * Returns a query for all tasks.
     *
     * @param limit the maximum number of tasks of one page
     * @return the query
     */
    public static TaskQuery all(int limit) {
        return new TaskQuery(null, null, null, Set.of(), null, null, limit);
    }

    /**
     * Returns a query for all runs of one identity.
     *
     * @param identity the identity
     * @param limit the maximum number of tasks of one page
     * @return the query
     */
    public static TaskQuery of(Identity identity, int limit) {
        return new TaskQuery(null, null, null, Set.of(), Limits.notNull("identity", identity), null, limit);
    }

    /**
     * Returns this query for other states and another page size, from another task on.
     *
     * @param wanted the states; empty matches all
     * @param from the end of the previous page; null for the first page
     * @param size the page size
     * @return the query
     */
    public TaskQuery with(Set<TaskState> wanted, @Nullable TaskId from, int size) {
        return new TaskQuery(tenant, queue, type, wanted, identity, parent, workflows, tag, from, size);
    }

    /**
     * Returns this query for the page after a task.
     *
     * @param last the last task of the previous page
     * @return the query
     */
    public TaskQuery after(TaskId last) {
        return new TaskQuery(
                tenant, queue, type, states, identity, parent, workflows, tag, Limits.notNull("task id", last), limit);
    }

    /**
     * Returns a builder for a query that lets all tasks pass, in pages of 100.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder of a query. Each filter narrows it. */
    public static final class Builder {

        private static final int USUAL_PAGE_SIZE = 100;

        private @Nullable String tenant;
        private @Nullable String queue;
        private @Nullable String type;
        private Set<TaskState> states = Set.of();
        private @Nullable Identity identity;
        private @Nullable TaskId parent;
        private boolean workflows;
        private @Nullable String tag;
        private @Nullable TaskId before;
        private int pageSize = USUAL_PAGE_SIZE;

        private Builder() {}

        /**
         * Selects the tasks of a tenant.
         *
         * @param name the tenant
         * @return this builder
         */
        public Builder tenant(String name) {
            this.tenant = Limits.name("tenant", name);
            return this;
        }

        /**
         * Selects the tasks of a queue.
         *
         * @param name the queue
         * @return this builder
         */
        public Builder queue(String name) {
            this.queue = Limits.name("queue", name);
            return this;
        }

        /**
         * Selects the tasks of a task type.
         *
         * @param name the name of the type
         * @return this builder
         */
        public Builder type(String name) {
            this.type = Limits.name("task type", name);
            return this;
        }

        /**
         * Selects the tasks in some states.
         *
         * @param wanted the states; none of them lets all pass
         * @return this builder
         */
        public Builder states(TaskState... wanted) {
            Set<TaskState> all = EnumSet.noneOf(TaskState.class);
            for (TaskState state : wanted) {
                all.add(Limits.notNull("state", state));
            }
            this.states = all;
            return this;
        }

        /**
         * Selects the runs of an identity.
         *
         * @param key the identity of the key
         * @return this builder
         */
        public Builder identity(Identity key) {
            this.identity = Limits.notNull("identity", key);
            return this;
        }

        /**
         * Selects the steps of a workflow.
         *
         * @param workflow the task of the workflow
         * @return this builder
         */
        public Builder parent(TaskId workflow) {
            this.parent = Limits.notNull("task id", workflow);
            return this;
        }

        /**
         * Selects the workflows.
         *
         * @return this builder
         */
        public Builder workflows() {
            this.workflows = true;
            return this;
        }

        /**
         * Selects the tasks that were submitted with a tag.
         *
         * @param name the tag
         * @return this builder
         */
        public Builder tag(String name) {
            this.tag = Limits.name("tag", name);
            return this;
        }

        /**
         * Selects the tasks that come after another one in the list, which is sorted by falling ids.
         *
         * @param last the last task of the page before
         * @return this builder
         */
        public Builder after(TaskId last) {
            this.before = Limits.notNull("task id", last);
            return this;
        }

        /**
         * Sets the page size.
         *
         * @param tasks 1 to 1,000; 100 by default
         * @return this builder
         */
        public Builder pageSize(int tasks) {
            this.pageSize = tasks;
            return this;
        }

        /**
         * Builds the query.
         *
         * @return the query
         */
        public TaskQuery build() {
            return new TaskQuery(tenant, queue, type, states, identity, parent, workflows, tag, before, pageSize);
        }
    }
}
