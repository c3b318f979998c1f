package dev.semel.postgresql.transaction;

/** One task type of one group, and the number that stands for it in the tables. */
public record Lane(int id, Group group, String type) {

    /** Returns the queue of its tasks. */
    public String queue() {
        return group.queue();
    }

    /** Returns the tenant of its tasks. */
    public String tenant() {
        return group.tenant();
    }
}
