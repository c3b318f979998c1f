package dev.semel.postgresql;

import dev.semel.task.StoreUnusable;

/** A program that opens a store by a URL, for a class path without HikariCP. */
final class PostgresWithoutPool {

    private PostgresWithoutPool() {}

    public static void main(String[] arguments) {
        try {
            PostgresTaskStore.open("postgresql://127.0.0.1:1/app").close();
        } catch (StoreUnusable e) {
            System.out.println(e.getMessage());
        }
    }
}
