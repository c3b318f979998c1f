package dev.semel;

import dev.semel.task.SafeLogger;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Warns about submissions that were prepared and never sent: {@code semel.submit(TYPE, input)} without {@code send()} looks right and
 * does nothing. Only the first requests of an instance are watched, which is where such code is tried out; afterwards a submission
 * costs one read of a counter and one of a queue.
 */
final class UnsentRequests {

    private static final SafeLogger LOG = SafeLogger.of(SubmissionRequest.class);

    private static final int WATCHED = 100;

    private final AtomicInteger left = new AtomicInteger(WATCHED);
    private final ReferenceQueue<SubmissionRequest<?, ?>> collected = new ReferenceQueue<>();
    private final Set<Prepared> open = ConcurrentHashMap.newKeySet();
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /** A request that is watched. It does not keep the request in memory. */
    static final class Prepared extends WeakReference<SubmissionRequest<?, ?>> {

        private final String what;

        private Prepared(SubmissionRequest<?, ?> request, ReferenceQueue<SubmissionRequest<?, ?>> queue) {
            super(request, queue);
            this.what = "type=" + request.type().name() + " prepared_at=" + caller();
        }
    }

    /** Watches a request, if it is one of the first. */
    @Nullable
    Prepared prepared(SubmissionRequest<?, ?> request) {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            if (gone instanceof Prepared unsent && open.remove(unsent)) {
                warn(unsent);
            }
        }
        if (left.get() <= 0 || left.getAndDecrement() <= 0) {
            return null;
        }
        Prepared watched = new Prepared(request, collected);
        open.add(watched);
        return watched;
    }

    /** Notes that a request is sent, or at least explained. */
    void used(Prepared watched) {
        open.remove(watched);
    }

    /** Reports the requests that were never sent, and never will be. */
    void close() {
        open.forEach(this::warn);
        open.clear();
    }

    private void warn(Prepared unsent) {
        if (reported.add(unsent.what)) {
            LOG.warn(
                    "Submission was prepared and never sent, so there is no task: {}. Call send(), or pass it to submitAll",
                    unsent.what);
        }
    }

    /** Returns the line of code that called this package. */
    private static String caller() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !frame.getClassName().startsWith("dev.semel.")
                                || frame.getClassName().lastIndexOf('.') != "dev.semel".length())
                        .findFirst()
                        .map(frame -> frame.toStackTraceElement().toString())
                        .orElse("unknown"));
    }
}
