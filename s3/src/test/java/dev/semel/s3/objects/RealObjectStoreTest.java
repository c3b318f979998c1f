package dev.semel.s3.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.s3.RealServer;
import dev.semel.s3.S3Settings;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.testservers.S3Server;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The laws on a real server. */
@Timeout(120)
class RealObjectStoreTest extends ObjectStoreContract {

    private static S3Server server;

    @BeforeAll
    static void start() {
        server = S3Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    ObjectStore open() {
        return RealServer.settings(server).objects();
    }

    @Override
    Instant serviceTime() {
        return Instant.now();
    }

    @Test
    void wrongCredentialsAndBucketsAreNotRetried() {
        try (ObjectStore store = RealServer.wrongSecret(server).objects()) {
            assertThatThrownBy(() -> store.get("a"))
                    .isInstanceOf(StoreUnusable.class)
                    .message()
                    .contains("SignatureDoesNotMatch")
                    .doesNotContain("wrong-secret");
        }
        try (ObjectStore store = RealServer.wrongBucket(server).objects()) {
            assertThatThrownBy(() -> store.get("a"))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("NoSuchBucket");
        }
    }

    @Test
    void aClockThatIsHoursOffIsCorrected() {
        InstantSource ahead = () -> Instant.now().plus(Duration.ofHours(3));
        S3Settings settings = RealServer.settings(server).withClock(ahead);
        try (ObjectStore store = settings.objects()) {
            assertThat(store.create("a", new byte[] {1}, Mark.next(new SplittableRandom(3))))
                    .isInstanceOf(Creation.Created.class);
        }
    }

    @Test
    void aProgramThatBlocksTheCommonPoolIsAnswered() throws Exception {
        CountDownLatch enough = new CountDownLatch(1);
        List<CompletableFuture<Void>> blocked = new ArrayList<>();
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
            blocked.add(CompletableFuture.runAsync(() -> {
                try {
                    enough.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        try (ObjectStore store = RealServer.settings(server).objects()) {
            assertThat(store.get("a")).isInstanceOf(Reading.Absent.class);
        } finally {
            enough.countDown();
        }
        CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get();
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        S3Settings settings =
                RealServer.nobody().withRetries(RetrySettings.withoutPauses().withPatience(Duration.ofMillis(50)));
        try (ObjectStore store = settings.objects()) {
            assertThatThrownBy(() -> store.get("a")).isInstanceOf(StoreUnavailable.class);
        }
    }
}
