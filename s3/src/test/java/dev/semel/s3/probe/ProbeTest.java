package dev.semel.s3.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.s3.RealServer;
import dev.semel.s3.S3Settings;
import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.PutAnswer;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RequestFailed;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import dev.semel.task.StoreUnusable;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.S3Server;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Services that can be relied on pass, and others are refused at every start. */
class ProbeTest {

    private final ManualClock clock = new ManualClock();

    /** A service that gets conditional writes wrong, in one of the ways in which real ones do. */
    private class Wrong implements ObjectService {

        private final InMemoryObjects right = new InMemoryObjects(clock);
        private final boolean early;

        Wrong(boolean early) {
            this.early = early;
        }

        @Override
        public PutAnswer put(String name, byte[] content, Mark mark) throws RequestFailed {
            boolean absent = right.get(name) instanceof Reading.Absent;
            if (early && !absent) {
                return right.put(name, content, mark);
            }
            LockSupport.parkNanos(1); // between the check and the write
            right.delete(name);
            return right.put(name, content, mark);
        }

        @Override
        public Reading get(String name) {
            return right.get(name);
        }

        @Override
        public Listing list(String prefix, String after, int limit) {
            return right.list(prefix, after, limit);
        }

        @Override
        public Instant delete(String name) {
            return right.delete(name);
        }

        @Override
        public void close() {}
    }

    @Test
    void aServiceThatIgnoresTheConditionIsRefusedAtEveryStart() {
        for (int i = 0; i < 20; i++) {
            Wrong wrong = new Wrong(false);
            ObjectStore objects = RetryingObjectStore.on(wrong, RetrySettings.withoutPauses());
            for (int start = 0; start < 2; start++) {
                assertThatThrownBy(() -> Probe.ensure(() -> wrong, objects, "s3://b/p"))
                        .isInstanceOf(StoreUnusable.class)
                        .hasMessageContaining("cannot be relied on");
            }
            assertThat(Probe.remembered(objects)).isEmpty();
        }
    }

    @Test
    void aServiceThatChecksTooEarlyIsRefused() {
        for (int i = 0; i < 20; i++) {
            Wrong wrong = new Wrong(true);
            assertThat(Probe.run(() -> wrong).passed()).as("start %s", i).isFalse();
        }
    }

    @Test
    void aRealServerPassesAndItsPrefixRemembersThat() {
        try (S3Server server = S3Server.start()) {
            S3Settings settings = RealServer.settings(server);
            try (ObjectStore objects = settings.objects()) {
                AtomicInteger trials = new AtomicInteger();
                for (int start = 0; start < 3; start++) {
                    Probe.ensure(
                            () -> {
                                trials.incrementAndGet();
                                return settings.service();
                            },
                            objects,
                            settings.toString());
                }
                assertThat(trials).hasValue(1);
                assertThat(Probe.remembered(objects)).contains("exactly one succeeded");
                assertThat(objects.list("semel/probe/", "", 10).objects()).isEmpty();
            }
        }
    }
}
