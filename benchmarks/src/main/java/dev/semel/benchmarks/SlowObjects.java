package dev.semel.benchmarks;

import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.PutAnswer;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RequestFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An object service that counts requests and bytes, and sends each PUT some time later: a service in the same building is
 * compared with one that is further away.
 */
final class SlowObjects implements ObjectService {

    private final ObjectService below;
    private final long delayNanos;
    private final AtomicLong puts = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong gets = new AtomicLong();
    private final AtomicLong lists = new AtomicLong();
    private final AtomicLong deletions = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    SlowObjects(ObjectService below, Duration delay) {
        this.below = below;
        this.delayNanos = delay.toNanos();
    }

    Requests requests() {
        return new Requests(
                puts.get(), refused.get(), gets.get(), lists.get(), deletions.get(), sent.get(), received.get());
    }

    @Override
    public PutAnswer put(String name, byte[] content, Mark mark) throws RequestFailed {
        puts.incrementAndGet();
        sent.addAndGet(content.length);
        long until = System.nanoTime() + delayNanos;
        for (long left = delayNanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        PutAnswer answer = below.put(name, content, mark);
        if (answer.outcome() != PutAnswer.Outcome.CREATED) {
            refused.incrementAndGet();
        }
        return answer;
    }

    @Override
    public Reading get(String name) throws RequestFailed {
        gets.incrementAndGet();
        Reading reading = below.get(name);
        if (reading instanceof Reading.Found found) {
            received.addAndGet(found.object().content().length);
        }
        return reading;
    }

    @Override
    public Listing list(String prefix, String after, int limit) throws RequestFailed {
        lists.incrementAndGet();
        return below.list(prefix, after, limit);
    }

    @Override
    public Instant delete(String name) throws RequestFailed {
        deletions.incrementAndGet();
        return below.delete(name);
    }

    @Override
    public void close() {
        below.close();
    }
}
