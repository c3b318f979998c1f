package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.PutAnswer;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RequestFailed;
import dev.semel.storetests.Tasks;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sixteen processes that all want to write all the time take turns. */
@Timeout(120)
class TurnsTest {

    private static final int PROCESSES = 16;
    private static final int EACH = 8;
    private static final long PUT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int MOST_OVERTAKEN = 80;

    @TempDir
    Path directory;

    private final MemoryService service = new MemoryService(InstantSource.system());
    private final AtomicInteger created = new AtomicInteger();

    /** A service at some distance. */
    private final class Distant implements ObjectService {

        @Override
        public PutAnswer put(String name, byte[] content, Mark mark) throws RequestFailed {
            long until = System.nanoTime() + PUT_NANOS;
            for (long left = PUT_NANOS; left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            PutAnswer answer = service.objects.put(name, content, mark);
            if (answer.outcome() == PutAnswer.Outcome.CREATED) {
                created.incrementAndGet();
            }
            return answer;
        }

        @Override
        public Reading get(String name) {
            return service.objects.get(name);
        }

        @Override
        public Listing list(String prefix, String after, int limit) {
            return service.objects.list(prefix, after, limit);
        }

        @Override
        public Instant delete(String name) {
            return service.objects.delete(name);
        }

        @Override
        public void close() {}
    }

    @Test
    void nobodyWaitsForLong() {
        List<S3TaskStore> stores = new ArrayList<>();
        AtomicInteger longest = new AtomicInteger();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                stores.add(S3TaskStore.open(
                        service.connect(new Distant()),
                        "log",
                        LogSettings.standard().withDirectory(directory)));
            }
            created.set(0);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (S3TaskStore store : stores) {
                all.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < EACH; i++) {
                                int began = created.get();
                                Tasks.submit(store, Tasks.plain());
                                longest.accumulateAndGet(created.get() - began, Math::max);
                            }
                        },
                        task -> Thread.ofPlatform().start(task)));
            }
            all.forEach(CompletableFuture::join);
        } finally {
            stores.forEach(S3TaskStore::close);
        }
        // In entries, because the machine may be busy: at 50 ms each these are less than 5 s.
        assertThat(longest.get()).isLessThan(MOST_OVERTAKEN);
        assertThat(created).hasValueGreaterThanOrEqualTo(PROCESSES * EACH);
    }
}
