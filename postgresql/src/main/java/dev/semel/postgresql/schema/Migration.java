package dev.semel.postgresql.schema;

/** Whether a program may create and change tables. */
public enum Migration {
    ALLOWED,
    FORBIDDEN
}
