package dev.semel.store;

/** The number of tasks and bytes of input that one claim may still take. Its first task may have any size. */
public final class ClaimRoom {

    private int tasks;
    private long bytes;
    private boolean untouched = true;
    private boolean cut;

    /**
     * Begins a claim.
     *
     * @param request what it asks for
     */
    public ClaimRoom(ClaimRequest request) {
        this.tasks = request.limit();
        this.bytes = request.bytes();
    }

    /**
     * Returns how many more tasks may be taken, if their inputs are small enough.
     *
     * @return at least 0
     */
    public int tasks() {
        return tasks;
    }

    /**
     * Takes one task, or rejects it and every later one: a claim keeps the order of its tasks.
     *
     * @param inputBytes how large its input is
     * @return whether it is taken
     */
    public boolean takes(int inputBytes) {
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

    /**
     * Returns whether the claim takes nothing more.
     *
     * @return true if so
     */
    public boolean isFull() {
        return cut || tasks == 0;
    }
}
