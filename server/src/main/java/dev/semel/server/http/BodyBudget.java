package dev.semel.server.http;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes of bodies may be in memory at one time, over all requests: back-pressure instead of a full heap. */
final class BodyBudget {

    private final long most;
    private final AtomicLong used = new AtomicLong();

    BodyBudget(long most) {
        this.most = most;
    }

    static BodyBudget standard() {
        return new BodyBudget(
                Math.min(ListenerSettings.BODY_BUDGET, Runtime.getRuntime().maxMemory() / 8));
    }

    void take(long bytes) {
        if (used.addAndGet(bytes) > most) {
            used.addAndGet(-bytes);
            throw new Problem(
                            429,
                            "too-busy",
                            "The server holds too many bodies of requests at the moment. Send it again.")
                    .header("Retry-After", "1");
        }
    }

    void giveBack(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
