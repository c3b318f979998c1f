package dev.semel.jdbc;

import dev.semel.store.ClaimRequest;

/** What one claim may still take: so many tasks, with inputs of so many bytes, but one task of any size. */
final class ClaimRoom {

    private int tasks;
    private long bytes;
    private boolean untouched = true;
    private boolean cut;

    ClaimRoom(ClaimRequest request) {
        this.tasks = request.limit();
        this.bytes = request.bytes();
    }

    /** How many more tasks, if they are small. */
    int tasks() {
        return tasks;
    }

    /** Takes one task, or refuses it and from then on every other: the claim keeps to the order of its tasks. */
    boolean takes(int inputBytes) {
        if (isFull()) {
            return false;
        }
        if (inputBytes > bytes && !untouched) {
            cut = true;
            return false;
        }
        untouched = false;
        bytes -= inputBytes;
        tasks--;
        return true;
    }

    /** Whether nothing more is taken. */
    boolean isFull() {
        return cut || tasks == 0;
    }
}
