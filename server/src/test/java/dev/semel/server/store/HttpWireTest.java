package dev.semel.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.semel.client.HttpSettings;
import dev.semel.client.HttpTaskStore;
import dev.semel.store.ClaimRequest;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.FaultyWire;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A network between client and server that loses requests and answers. A call whose answer is lost is reported, is not sent again by
 * the client, and repeated by its caller it leads to what it would have led to.
 */
@Timeout(60)
class HttpWireTest {

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A server, a wire and a client. */
    private record Scene(TaskStore direct, StoreHost host, FaultyWire wire, HttpTaskStore client) {}

    private Scene scene() {
        TaskStore direct = new InMemoryTaskStore(new ManualClock());
        StoreHost host = StoreHost.on(direct);
        FaultyWire wire = FaultyWire.to(host.port());
        HttpTaskStore client = HttpTaskStore.open(
                HttpSettings.of("http://127.0.0.1:" + wire.port()).withRequestTimeout(Duration.ofSeconds(10)));
        opened.addAll(List.of(direct, host, wire, client));
        return new Scene(direct, host, wire, client);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private static Lease claimed(TaskStore store) {
        return store.claim(Tasks.request(1)).tasks().getFirst().lease();
    }

    /** The calls: what is prepared, and then the call itself; true if it is sent for the second time. */
    private static Map<String, Function<TaskStore, BiFunction<TaskStore, Boolean, Object>>> calls() {
        Map<String, Function<TaskStore, BiFunction<TaskStore, Boolean, Object>>> calls = new LinkedHashMap<>();
        calls.put("submit", direct -> {
            List<NewTask> batch = List.of(Tasks.keyed("k", "1"), Tasks.plain(), Tasks.keyed("k", "1"));
            return (store, again) ->
                    store.submit(batch).stream().map(HttpWireTest::kindOf).toList();
        });
        calls.put("claim", direct -> {
            direct.submit(List.of(Tasks.plain(), Tasks.plain()));
            ClaimRequest request = Tasks.request(2);
            return (store, again) ->
                    Tasks.idsOf(store.claim(again ? request.again() : request)).size();
        });
        calls.put("complete", direct -> {
            direct.submit(List.of(Tasks.plain()));
            Settlement end = new Settlement.Complete(claimed(direct), "1");
            return (store, again) -> store.settle(List.of(end));
        });
        calls.put("retry", direct -> {
            direct.submit(List.of(Tasks.plain()));
            Settlement end = new Settlement.Retry(claimed(direct), Duration.ZERO, "again");
            return (store, again) -> store.settle(List.of(end));
        });
        calls.put("extend", direct -> {
            direct.submit(List.of(Tasks.plain()));
            Settlement extend = new Settlement.Extend(claimed(direct), Duration.ofMinutes(1));
            return (store, again) -> store.settle(List.of(extend));
        });
        calls.put("redrive", direct -> {
            NewTask task = Tasks.plain();
            direct.submit(List.of(task));
            direct.settle(List.of(new Settlement.Fail(claimed(direct), false, "broken")));
            return (store, again) -> store.operate(List.of(new Operation.Redrive(task.id(), 1)));
        });
        calls.put("find", direct -> {
            NewTask task = Tasks.plain();
            direct.submit(List.of(task));
            return (store, again) -> store.find(List.of(task.id())).size();
        });
        return calls;
    }

    private static String kindOf(Submitted answer) {
        return answer.getClass().getSimpleName();
    }

    static Stream<Arguments> faults() {
        List<Arguments> faults = new ArrayList<>();
        for (String call : calls().keySet()) {
            faults.add(Arguments.of(call, "the answer is lost", (Consumer<FaultyWire>) wire -> wire.loseReply(1), 1));
            faults.add(Arguments.of(call, "the request is lost", (Consumer<FaultyWire>) wire -> wire.cutRequest(1), 0));
        }
        return faults.stream();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("faults")
    @DisplayName("A call that is lost is reported, is not sent twice, and can be repeated")
    void aLostCallCanBeRepeated(String name, String what, Consumer<FaultyWire> fault, int carriedOut) {
        Function<TaskStore, BiFunction<TaskStore, Boolean, Object>> prepared = calls().get(name);
        Scene calm = scene();
        Object expected = prepared.apply(calm.direct()).apply(calm.client(), false);
        Scene faulty = scene();
        BiFunction<TaskStore, Boolean, Object> call = prepared.apply(faulty.direct());
        int before = faulty.host().answered();

        fault.accept(faulty.wire());
        Throwable lost = catchThrowable(() -> call.apply(faulty.client(), false));

        assertThat(faulty.wire().isPlanned()).isFalse();
        assertThat(lost).isInstanceOf(StoreUnavailable.class);
        assertThat(faulty.host().answered() - before)
                .as("calls that were carried out")
                .isEqualTo(carriedOut);
        Object repeated = call.apply(faulty.client(), true);
        assertThat(faulty.host().answered() - before).isEqualTo(carriedOut + 1);
        assertThat(repeated).isEqualTo(expected);
        assertThat(states(faulty)).isEqualTo(states(calm));
        StoreInvariants.check(faulty.direct());
    }

    private static List<String> states(Scene scene) {
        return scene.direct().list(TaskQuery.all(100)).tasks().stream()
                .map(task -> task.state() + " " + task.progress().attempt() + " "
                        + task.progress().failures())
                .toList();
    }

    @Test
    @DisplayName("A batch that the wire cuts is not repeated: a rejected item is not answered by what a later one did")
    void aBatchIsNotRepeatedSilently() {
        Scene scene = scene();
        NewTask held = Tasks.keyed("k", "1");
        scene.direct().submit(List.of(held));
        // Other input is a conflict; after the second item has replaced the holder it would not be.
        List<NewTask> batch = List.of(Tasks.keyed("k", "2"), Tasks.replacing("k", "2"));
        int before = scene.host().answered();
        scene.wire().loseReply(1);
        assertThatThrownBy(() -> scene.client().submit(batch)).isInstanceOf(StoreUnavailable.class);
        assertThat(scene.host().answered() - before).isEqualTo(1);
    }

    @Test
    @DisplayName("A server that is silent is unavailable after the time limit, and usable again afterwards")
    void aSilentServerIsUnavailable() {
        Scene scene = scene();
        FaultyWire wire = scene.wire();
        // The first calls of a process load classes, which takes longer than the short limit if the machine is busy.
        assertThat(scene.client().depths()).isEmpty();
        HttpTaskStore client = HttpTaskStore.open(HttpSettings.of("http://127.0.0.1:" + wire.port())
                .withRequestTimeout(Duration.ofSeconds(2))
                .withConnectTimeout(Duration.ofSeconds(2)));
        opened.add(client);
        wire.silence();
        assertThatThrownBy(client::depths).isInstanceOf(StoreUnavailable.class);
        wire.heal();
        wire.cut();
        assertThat(client.depths()).isEmpty();
    }

    @Test
    @DisplayName("A server that is not there is unavailable, when the store is opened and afterwards")
    void aMissingServerIsUnavailable() {
        Scene scene = scene();
        String url = "http://127.0.0.1:" + scene.wire().port();
        scene.wire().close();
        assertThatThrownBy(scene.client()::queues).isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> HttpTaskStore.open(url)).isInstanceOf(StoreUnavailable.class);
        scene.client().close();
        assertThatThrownBy(scene.client()::queues)
                .isInstanceOfSatisfying(
                        StoreUnusable.class, e -> assertThat(e.isClosed()).isTrue());
    }

    @Test
    @DisplayName("A listener whose connection breaks gets hints again, beginning with one that names nothing")
    void listenersReconnect() throws InterruptedException {
        Scene scene = scene();
        LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        scene.client().listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                heard.add("due " + queues);
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                heard.add("ended " + ids.size());
            }
        });
        scene.direct().submit(List.of(Tasks.plain()));
        assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("due [" + Tasks.QUEUE + "]");
        scene.wire().cut();
        assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("due []");
        assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("ended 0");
        scene.direct().submit(List.of(Tasks.plain()));
        assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("due [" + Tasks.QUEUE + "]");
    }
}
