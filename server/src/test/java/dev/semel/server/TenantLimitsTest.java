package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.client.HttpSettings;
import dev.semel.client.HttpTaskStore;
import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.http.Problem;
import dev.semel.server.http.TokenScope;
import dev.semel.server.limit.Admission;
import dev.semel.server.limit.TenantAdmission;
import dev.semel.server.limit.TenantLimits;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueDepth;
import dev.semel.task.RateLimit;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The limits of a tenant: submissions per second, open tasks, stored bytes. */
class TenantLimitsTest {

    private static final String ONE = "{\"type\":\"t\",\"input\":1}";

    private final AtomicLong time = new AtomicLong(1_000);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private ServerFixture http;
    private String[] token;

    @BeforeEach
    void start() {
        http = ServerFixture.withTokens();
        token = new String[] {"Authorization", "Bearer " + http.token("acme", TokenScope.values())};
    }

    @AfterEach
    void close() {
        http.close();
    }

    private Answer post(String body) {
        return http.post("/v1/tasks", body, token);
    }

    private void limit(@Nullable RateLimit submissions, @Nullable Long open, @Nullable Long bytes) {
        http.tokens().limit("acme", before -> new TenantLimits(submissions, open, bytes));
        // The server sees that the file was replaced within half a second.
        await().pollInterval(Duration.ofMillis(50))
                .until(() -> http.get("/v1/limits", token).body().contains("max_"));
    }

    @Test
    void aTenantHasAsManyOpenTasksAsItsLimitAndRoomComesBackWhenTheyEnd() {
        limit(null, 3L, null);
        assertThat(post("[" + ONE + "," + ONE + "]").status()).isEqualTo(200);
        Answer batch = post("[" + ONE + "," + ONE + "]");
        assertThat(batch.status()).as("a batch is admitted as a whole").isEqualTo(429);
        assertThat(batch.problem()).isEqualTo("too-many-open-tasks");
        assertThat(batch.header("Retry-After")).matches("[1-9][0-9]*");
        assertThat(batch.json().number("max_open_tasks")).contains(3);
        Answer third = post(ONE);
        assertThat(third.status()).isEqualTo(201);
        assertThat(post(ONE).status()).isEqualTo(429);
        assertThat(http.post("/v1/workflows/flow/w1", "{\"input\":1}", token).status())
                .as("a workflow is a submission too")
                .isEqualTo(429);

        http.post("/v1/tasks/" + third.text("task_id") + "/cancel", "{}", token);
        await().pollInterval(Duration.ofMillis(200)).until(() -> post(ONE).status() == 201);
        assertThat(http.get("/metrics", "Authorization", "Bearer " + http.token(null, TokenScope.READ))
                        .body())
                .contains("semel_tenant_rejected_total{limit=\"open_tasks\",tenant=\"acme\"}");
    }

    @Test
    void aDuplicateGetsItsAnswerFromATenantWithoutRoom() {
        String keyed = "{\"type\":\"t\",\"input\":1,\"key\":\"order-1\"}";
        String id = post(keyed).text("task_id");
        limit(null, 1L, null);
        assertThat(post(ONE).status()).isEqualTo(429);
        Answer duplicate = post(keyed);
        assertThat(duplicate.status()).isEqualTo(200);
        assertThat(duplicate.text("task_id")).isEqualTo(id);
        assertThat(post("{\"type\":\"t\",\"input\":2,\"key\":\"order-1\"}").status())
                .as("a conflict is an answer too")
                .isEqualTo(422);
        assertThat(post("{\"type\":\"t\",\"input\":1,\"key\":\"order-2\"}").status())
                .isEqualTo(429);
    }

    @Test
    void otherTenantsHaveTheirOwnRoom() {
        limit(null, 1L, null);
        assertThat(post(ONE).status()).isEqualTo(201);
        assertThat(post(ONE).status()).isEqualTo(429);
        String[] other = {"Authorization", "Bearer " + http.token("other", TokenScope.SUBMIT)};
        assertThat(http.post("/v1/tasks", "[" + ONE + "," + ONE + "]", other).status())
                .isEqualTo(200);
        assertThat(http.get("/v1/limits", other).body()).isEqualTo("{\"tenant\":\"other\"}");
    }

    @Test
    void storedBytesAreMeasuredAndWhatIsAdmittedCountsAtOnce() {
        String large = "{\"type\":\"t\",\"input\":\"" + "é".repeat(400) + "\"}";
        assertThat(post(large).status()).isEqualTo(201);
        limit(null, null, 2_000L);
        await().until(() -> http.get("/v1/limits", token).body().contains("\"stored_bytes\":802"));
        assertThat(post(large).status()).isEqualTo(201);
        Answer full = post(large);
        assertThat(full.problem()).isEqualTo("too-much-stored");
        assertThat(http.get("/v1/limits", token).body()).contains("\"stored_bytes\":1604");
    }

    @Test
    void theJavaClientIsLimitedAsWell() {
        limit(null, 1L, null);
        String secret = http.token("acme", TokenScope.values());
        TaskType<Integer, Void> type = TaskType.of("t", Integer.class, Void.class);
        try (HttpTaskStore store = HttpTaskStore.open(
                        HttpSettings.of(http.uri("").toString()).withToken(secret));
                Semel semel = Semel.on(store).build()) {
            semel.submit(type, 1).tenant("acme").send();
            assertThatThrownBy(() -> semel.submit(type, 2).tenant("acme").send())
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("open tasks");
        }
    }

    private Admission admission(TenantLimits limits, InMemoryTaskStore store) {
        return new TenantAdmission(store, tenant -> limits, registry, time::get);
    }

    @Test
    void theRateIsPaidForAfterwards() {
        try (InMemoryTaskStore store = new InMemoryTaskStore()) {
            Admission admission = admission(new TenantLimits(RateLimit.parse("10/sec"), null, null), store);
            admission.admit("t", 30, 0).close();
            assertThatThrownBy(() -> admission.admit("t", 1, 0))
                    .isInstanceOfSatisfying(
                            Problem.class, problem -> assertThat(problem.slug()).isEqualTo("too-many-submissions"));
            time.addAndGet(Duration.ofMillis(2_001).toNanos());
            int admitted = 0;
            for (int i = 0; i < 1_000; i++) {
                time.addAndGet(Duration.ofMillis(10).toNanos());
                try (Admission.Ticket ticket = admission.admit("t", 1, 0)) {
                    admitted++;
                } catch (Problem full) {
                    assertThat(full.status()).isEqualTo(429);
                }
            }
            assertThat(admitted).as("in 10 seconds, and one second ahead").isBetween(99, 111);
        }
    }

    @Test
    void whatIsUnderWayWhileTheStoreIsReadIsNotMissed() {
        // The store does not know the admitted tasks yet when it is asked.
        ForwardingTaskStore late = new ForwardingTaskStore(new InMemoryTaskStore()) {
            @Override
            public Map<String, QueueDepth> depths(@Nullable String tenant) {
                return Map.of();
            }
        };
        Admission admission =
                new TenantAdmission(late, tenant -> new TenantLimits(null, 5L, null), registry, time::get);
        Admission.Ticket underWay = admission.admit("t", 5, 0);
        time.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThatThrownBy(() -> admission.admit("t", 1, 0)).isInstanceOf(Problem.class);
        underWay.close();
        time.addAndGet(Duration.ofSeconds(100).toNanos());
        admission.admit("t", 5, 0).close();
        late.close();
    }
}
