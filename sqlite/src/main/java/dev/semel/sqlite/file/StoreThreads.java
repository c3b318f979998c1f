package dev.semel.sqlite.file;

import java.nio.file.Path;

/**
 * The threads of a store. They are platform threads: a call into SQLite would pin the carrier of a virtual thread for as long
 * as the disk takes.
 */
public final class StoreThreads {

    private StoreThreads() {}

    /** Starts a thread that is named after its role and its file. */
    public static Thread start(String role, Path file, Runnable run) {
        Thread thread = unstarted(role, file, run);
        thread.start();
        return thread;
    }

    public static Thread unstarted(String role, Path file, Runnable run) {
        return Thread.ofPlatform()
                .daemon()
                .name("semel-sqlite-" + role + " " + file.getFileName())
                .unstarted(run);
    }

    /** Waits for the end of a thread, and keeps an interrupt for later. */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
