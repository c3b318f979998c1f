package dev.semel.postgresql.transaction;

/** One tenant of one queue: groups take turns when tasks are claimed. */
public record Group(String queue, String tenant) {}
