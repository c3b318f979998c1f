package dev.semel.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.wire.BatchCall;
import dev.semel.wire.Call;
import dev.semel.wire.Calls;
import dev.semel.wire.Part;
import dev.semel.wire.Protocol;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StoreCallsTest {

    private static final int LARGE = 1 << 20;

    private final Hosts hosts = new Hosts();

    @AfterEach
    void close() throws Exception {
        hosts.close();
    }

    @Test
    @DisplayName("Every call of the wire is served, once, for at least one part of the store")
    void everyCallIsServed() throws Exception {
        Set<String> names = new LinkedHashSet<>();
        for (Field field : Calls.class.getFields()) {
            Object call = field.get(null);
            names.add(call instanceof BatchCall<?, ?> batch ? batch.name() : ((Call<?, ?>) call).name());
        }
        assertThat(StoreCalls.all()).extracting(StoreCall::name).containsExactlyInAnyOrderElementsOf(names);
        assertThat(StoreCalls.all()).allSatisfy(call -> assertThat(call.parts()).isNotEmpty());
    }

    @Test
    @DisplayName("What changes the store needs exactly one scope")
    void changesNeedOneScope() {
        for (StoreCall call : StoreCalls.all()) {
            switch (call.name()) {
                case "submit" -> assertThat(call.parts()).containsExactly(StorePart.SUBMIT);
                case "claim", "settle" -> assertThat(call.parts()).containsExactly(StorePart.WORK);
                case "operate", "sweep", "due-schedules" ->
                    assertThat(call.parts()).containsExactly(StorePart.ADMIN);
                case "about" -> assertThat(call.parts()).contains(StorePart.values());
                default -> assertThat(call.parts()).contains(StorePart.READ).doesNotContain(StorePart.ADMIN);
            }
        }
    }

    @Test
    @DisplayName("Large answers end at a size, and the client asks for the rest")
    void largeAnswersAreContinued() {
        InMemoryTaskStore direct = new InMemoryTaskStore();
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            NewTask task = Tasks.withInput("\"" + "x".repeat(LARGE - 2) + "\"");
            direct.submit(List.of(task));
            ids.add(task.id());
        }
        Part<Task> part = LargeReads.find(direct, ids);
        assertThat(part.answered()).isBetween(1, 39);
        assertThat(part.values()).hasSize(part.answered());
        Page page = LargeReads.list(direct, TaskQuery.all(40));
        assertThat(page.tasks()).hasSizeBetween(1, 39);
        assertThat(page.next()).isNotNull();
        try (TaskStore store = hosts.over(direct)) {
            assertThat(store.find(ids)).hasSize(40);
            assertThat(listed(store)).hasSize(40);
            // C10: a claim is cut as well, and says that more is due.
            var claims = store.claim(Tasks.request(40));
            assertThat(claims.tasks()).hasSizeBetween(1, Protocol.ANSWER_BYTES / LARGE + 1);
            assertThat(claims.nextDue()).isZero();
        }
    }

    private static List<Task> listed(TaskStore store) {
        List<Task> all = new ArrayList<>();
        TaskQuery query = TaskQuery.all(40);
        TaskId next;
        do {
            Page page = store.list(query);
            all.addAll(page.tasks());
            next = page.next();
            query = next == null ? query : query.after(next);
        } while (next != null);
        return all;
    }

    @Test
    @DisplayName("A store that was closed is one that may be back soon")
    void aClosedStoreMayBeBack() {
        InMemoryTaskStore direct = new InMemoryTaskStore();
        direct.close();
        StoreCall sweep = StoreCalls.all().stream()
                .filter(call -> call.name().equals("all-queues"))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> sweep.answer(direct, new byte[] {'{', '}'})).isInstanceOf(StoreUnavailable.class);
    }
}
