package dev.semel.engine;

/**
 * How many tasks with a vanished attempt a worker takes at once. Each of them may be what killed its worker, and brings its
 * neighbours one step nearer to a dead letter if it does so again. But most are innocent: a thousand tasks of a killed worker must
 * not come back one by one. So the worker begins with one, doubles with each that ends, and goes back to one when another vanishes.
 * One that has vanished twice has only one attempt left, so it runs as the only suspect.
 */
final class SuspectRamp {

    private final int most;
    private int limit = 1;
    private int held;

    /** How a suspect left the worker's hands. */
    enum End {
        /** Its handler ended, in whatever way, and the process is alive. */
        ENDED,
        /** The same, but it was the only one: that says nothing of the others. */
        ENDED_ALONE,
        /** Its lease passed to another attempt. */
        VANISHED,
        /** It was not begun. */
        NOT_BEGUN
    }

    SuspectRamp(int most) {
        this.most = most;
    }

    /** How many more may be taken now. */
    int room() {
        return Math.max(0, limit - held);
    }

    int held() {
        return held;
    }

    void took() {
        held++;
    }

    /** Begins again with one: another attempt has vanished, perhaps in another process. */
    void restart() {
        limit = 1;
    }

    void left(End end) {
        held--;
        switch (end) {
            case ENDED -> limit = Math.min(most, limit * 2);
            case VANISHED -> restart();
            case ENDED_ALONE, NOT_BEGUN -> {}
        }
    }
}
