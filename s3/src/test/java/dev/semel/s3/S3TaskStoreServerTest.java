package dev.semel.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.log.LogSettings;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskState;
import dev.semel.testservers.S3Server;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks on a real server, by several stores with replicas of their own. */
@Timeout(120)
class S3TaskStoreServerTest {

    private static final int STORES = 3;

    private static S3Server server;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        server = S3Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private List<S3TaskStore> open() {
        S3Settings settings = RealServer.settings(server);
        List<S3TaskStore> stores = new ArrayList<>();
        for (int i = 0; i < STORES; i++) {
            stores.add(S3TaskStore.open(
                    settings.objects(),
                    settings.toString(),
                    LogSettings.standard().withDirectory(directory)));
        }
        return stores;
    }

    private static void close(List<S3TaskStore> stores) {
        stores.forEach(S3TaskStore::close);
    }

    @Test
    void aTaskIsSubmittedClaimedAndCompletedByThreeStores() {
        List<S3TaskStore> stores = open();
        try {
            NewTask task = Tasks.keyed("charge-1", "{\"amount\":1}");
            assertThat(Tasks.submit(stores.get(0), task)).isInstanceOf(Submitted.Created.class);
            Claims claims = stores.get(1).claim(Tasks.request(5));
            assertThat(Tasks.idsOf(claims)).containsExactly(task.id());
            assertThat(stores.get(2).claim(Tasks.request(5)).tasks()).isEmpty();
            stores.get(2)
                    .settle(List.of(
                            new Settlement.Complete(claims.tasks().getFirst().lease(), "1")));
            assertThat(stores.get(0).find(List.of(task.id())).values())
                    .allMatch(found -> found.progress().state() == TaskState.COMPLETED)
                    .hasSize(1);
        } finally {
            close(stores);
        }
    }

    @Test
    void storesThatSubmitOneKeyAtTheSameTimeMakeOneTask() {
        List<S3TaskStore> stores = open();
        try {
            List<CompletableFuture<Boolean>> created = new ArrayList<>();
            for (S3TaskStore store : stores) {
                for (int i = 0; i < 4; i++) {
                    NewTask task = Tasks.keyed("one", "{}");
                    created.add(CompletableFuture.supplyAsync(
                            () -> Tasks.submit(store, task) instanceof Submitted.Created,
                            work -> Thread.ofPlatform().start(work)));
                }
            }
            assertThat(created.stream().filter(CompletableFuture::join).count()).isEqualTo(1);
            Set<Object> seen = new HashSet<>();
            stores.forEach(store -> seen.add(Tasks.stored(store)));
            assertThat(seen).hasSize(1);
        } finally {
            close(stores);
        }
    }
}
