package dev.semel.engine;

/**
 * The limit for suspects, that is tasks with a vanished attempt, that a worker holds at the same time. Each of them may
 * have killed its worker, and if it does so again, an attempt of every task beside it vanishes too. But most suspects
 * are harmless, and a thousand tasks of a killed worker must not run one by one. So the limit starts at one, doubles
 * with each suspect that ends, and returns to one when a suspect vanishes. A task that has vanished twice runs as the
 * only suspect, because by default it fails if it vanishes once more.
 */
final class SuspectRamp {

    private final int most;
    private int limit = 1;
    private int held;

    /** How a suspect left the worker. */
    enum End {
        /** Its handler ended, with any outcome, and the process is alive. */
        ENDED,
        /** Its handler ended, but no other suspect ran: that says nothing about the others. */
        ENDED_ALONE,
        /** Another attempt took over its lease. */
        VANISHED,
        /** Its handler was not started. */
        NOT_BEGUN
    }

    SuspectRamp(int most) {
        this.most = most;
    }

    /** Returns how many more suspects the worker may claim now. */
    int room() {
        return Math.max(0, limit - held);
    }

    int held() {
        return held;
    }

    void took() {
        held++;
    }

    /** Resets the limit to one, because another attempt has vanished, perhaps in another process. */
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
