package dev.semel.s3.log;

import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An object service in memory whose clock is moved by hand, but never falls, as that of a service does not. Its answers show
 * the exact time, so that the laws can be tested to the millisecond.
 */
final class MemoryService {

    private final InstantSource clock;
    private Instant seen;
    private Instant now;
    final InMemoryObjects objects;
    final AtomicInteger requests = new AtomicInteger();

    MemoryService(InstantSource clock) {
        this.clock = clock;
        this.seen = clock.instant();
        this.now = seen;
        this.objects = new InMemoryObjects(this::now);
    }

    synchronized Instant now() {
        Instant shown = clock.instant();
        if (shown.isAfter(seen)) {
            now = now.plusNanos(Duration.between(seen, shown).toNanos());
        }
        seen = shown;
        return now;
    }

    ObjectStore connect() {
        return connect(objects);
    }

    ObjectStore connect(ObjectService service) {
        return new ExactTimes(RetryingObjectStore.on(service, RetrySettings.withoutPauses()));
    }

    private final class ExactTimes implements ObjectStore {

        private final ObjectStore below;

        ExactTimes(ObjectStore below) {
            this.below = below;
        }

        @Override
        public Creation create(String name, byte[] content, Mark mark) {
            requests.incrementAndGet();
            return switch (below.create(name, content, mark)) {
                case Creation.Created unused -> new Creation.Created(now());
                case Creation.Exists exists -> new Creation.Exists(exists.found(), now());
            };
        }

        @Override
        public Reading get(String name) {
            requests.incrementAndGet();
            return switch (below.get(name)) {
                case Reading.Found found -> new Reading.Found(found.object(), now());
                case Reading.Absent unused -> new Reading.Absent(now());
            };
        }

        @Override
        public Listing list(String prefix, String after, int limit) {
            requests.incrementAndGet();
            Listing page = below.list(prefix, after, limit);
            return new Listing(page.objects(), page.more(), now());
        }

        @Override
        public Instant delete(String name) {
            requests.incrementAndGet();
            below.delete(name);
            return now();
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
