package dev.semel.sqlite.transaction;

/** One task type of one group. */
public record Lane(int id, Group group, String type) {

    public String queue() {
        return group.queue();
    }

    public String tenant() {
        return group.tenant();
    }
}
