package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.client.HttpSettings;
import dev.semel.client.HttpTaskStore;
import dev.semel.server.audit.AuditEntry;
import dev.semel.server.audit.AuditFile;
import dev.semel.server.http.ListenerSettings;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.token.TokenFile;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operation;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every operator's action is in the audit log, by whom and with which outcome, and nothing that is secret is. */
class AuditTest {

    private static final String SECRET = "payloadsecret";

    @TempDir
    private Path directory;

    private Path file;
    private ServerFixture http;
    private String[] operator;
    private String[] submitter;
    private String operatorToken;

    @BeforeEach
    void start() {
        file = directory.resolve("audit.jsonl");
        TokenFile tokens = new TokenFile(directory.resolve("tokens.json"), InstantSource.system());
        operatorToken = tokens.create("alice", null, EnumSet.allOf(TokenScope.class), null)
                .secret();
        operator = bearer(operatorToken);
        submitter = bearer(
                tokens.create("billing", null, Set.of(TokenScope.SUBMIT), null).secret());
        TaskStore store = new InMemoryTaskStore(InstantSource.system());
        http = new ServerFixture(
                SemelServer.on(store)
                        .listen(ListenerSettings.plain("127.0.0.1", 0))
                        .tokens(directory.resolve("tokens.json"))
                        .audit(file)
                        .start(),
                store,
                tokens);
    }

    @AfterEach
    void close() {
        http.close();
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    private List<AuditEntry> entries() {
        return AuditFile.read(file, 1_000).entries();
    }

    private String submitted(String key) {
        return http.post(
                        "/v1/tasks", "{\"type\":\"t\",\"input\":\"" + SECRET + "\",\"key\":\"" + key + "\"}", submitter)
                .text("task_id");
    }

    @Test
    void everyRouteThatOperatesIsRecordedWithItsOutcome() throws IOException {
        Map<String, String> queries = Map.of("DELETE /v1/keys", "?key=order-1&type=t");
        Map<String, String> bodies = Map.of(
                "PUT /v1/schedules/{name}", "{\"every\":\"1h\",\"type\":\"t\",\"input\":\"" + SECRET + "\"}",
                "POST /v1/schedules/{name}/pause", "{\"reason\":\"" + SECRET + "\"}",
                "POST /v1/tasks/{id}/effects/{effect}/resolve",
                        "{\"verdict\":\"done\",\"result\":\"" + SECRET + "\",\"reason\":\"r\"}");
        String task = submitted("order-1");
        int routes = 0;
        for (Route route : http.server.routes()) {
            if (!route.anyOf().contains(TokenScope.ADMIN)
                    || route.method().equals("GET")
                    || route.path().startsWith("/v1/store/")) {
                continue;
            }
            String path = route.path()
                    .replace("{type}/{id}", "flow/order-1")
                    .replace("{id}", task)
                    .replace("{effect}", "charge")
                    .replace("{queue}", "payments")
                    .replace("{name}", "nightly");
            boolean bare = route.method().equals("DELETE");
            int status = http.send(
                            route.method(),
                            path + queries.getOrDefault(route.toString(), ""),
                            bare ? null : bodies.getOrDefault(route.toString(), "{}"),
                            operator)
                    .status();
            List<AuditEntry> all = entries();
            assertThat(all).as(route.toString()).hasSize(2 * ++routes);
            AuditEntry started = all.get(all.size() - 2);
            AuditEntry ended = all.getLast();
            assertThat(started.outcome()).isEqualTo("started");
            assertThat(ended.action()).isEqualTo(started.action());
            assertThat(ended.status()).as(route.toString()).isEqualTo(status);
            assertThat(ended.action().caller()).isEqualTo("alice");
            assertThat(ended.action().name()).isEqualTo(route.toString());
            for (String named : List.of(task, "flow", "charge", "payments", "nightly", "order-1")) {
                if (path.contains(named)) {
                    assertThat(ended.action().target()).contains(named);
                }
            }
        }
        assertThat(routes).isGreaterThan(15);
        assertThat(Files.readString(file))
                .contains("key=order-1")
                .doesNotContain(SECRET)
                .doesNotContain(operatorToken);
    }

    @Test
    void aFilterIsRecordedWithTheTasksThatItMatched() {
        String first = submitted("a");
        String second = submitted("b");
        http.post("/v1/tasks/cancel", "{\"type\":\"t\"}", operator);
        assertThat(entries().getLast().details())
                .contains("type=t")
                .contains("{cancelled=2}")
                .contains(first)
                .contains(second);
    }

    @Test
    void whatAClientsStoreOperatesOnIsRecordedToo() {
        TaskId task = TaskId.parse(submitted("a"));
        try (TaskStore store = HttpTaskStore.open(
                HttpSettings.of("http://127.0.0.1:" + http.server.port()).withToken(operatorToken))) {
            store.operate(List.of(new Operation.Cancel(task)));
        }
        AuditEntry last = entries().getLast();
        assertThat(last.action().name()).isEqualTo("POST /v1/store/operate");
        assertThat(last.details()).isEqualTo("cancel " + task);
        assertThat(last.outcome()).isEqualTo("done");
    }

    @Test
    void submittersAndReadersAreNotRecorded() {
        String task = submitted("a");
        http.post("/v1/tasks/" + task + "/cancel", "", submitter);
        http.post("/v1/tasks/cancel", "{}", submitter);
        http.get("/v1/tasks", operator);
        assertThat(entries()).isEmpty();
    }

    @Test
    void anActionThatCannotBeRecordedIsNotCarriedOut() {
        String task = submitted("a");
        AuditFile full = AuditFile.open(directory.resolve("full.jsonl"), InstantSource.system());
        full.close();
        assertThatThrownBy(() -> full.started(new dev.semel.server.http.Audit.Action("r", "c", null, "n", "t")))
                .hasMessageContaining("nothing was changed");
        assertThat(http.get("/v1/tasks/" + task, operator).text("state")).isEqualTo("pending");
    }

    @Test
    void aFileBelongsToOneServer() {
        assertThatThrownBy(() -> AuditFile.open(file, InstantSource.system()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("a file of its own");
    }
}
