package dev.semel.s3.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.s3.objects.Creation.Created;
import dev.semel.s3.objects.Creation.Exists;
import dev.semel.s3.objects.Reading.Absent;
import dev.semel.s3.objects.Reading.Found;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of {@link ObjectStore}. */
abstract class ObjectStoreContract {

    private final RandomGenerator random = new SplittableRandom(11);
    private ObjectStore store;

    /** Opens a store on an empty prefix. */
    abstract ObjectStore open() throws Exception;

    /** The service's time, give or take some seconds. */
    abstract Instant serviceTime();

    /** Whether a delete may fail, and lists may be stale. */
    boolean isFaulty() {
        return false;
    }

    /** A name that no other test uses. */
    String fresh(String name) {
        return name + "-" + Mark.next(random).hex();
    }

    @BeforeEach
    final void openTheStore() throws Exception {
        store = open();
    }

    @AfterEach
    final void closeTheStore() {
        store.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Mark mark() {
        return Mark.next(random);
    }

    private StoredObject found(String name) {
        return ((Found) store.get(name)).object();
    }

    private void deleted(String name) {
        while (true) {
            try {
                store.delete(name);
                return;
            } catch (StoreUnavailable e) {
                assertThat(isFaulty()).as("a delete that fails").isTrue();
            }
        }
    }

    @Test
    @DisplayName("O1: of concurrent creations exactly one is created, and the others get its object")
    void exactlyOneIsCreated() throws Exception {
        for (int round = 0; round < 5; round++) {
            String name = "race/" + fresh("one");
            List<Mark> marks = IntStream.range(0, 16).mapToObj(i -> mark()).toList();
            CyclicBarrier barrier = new CyclicBarrier(marks.size());
            List<Future<Creation>> answers = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(marks.size())) {
                for (Mark mark : marks) {
                    answers.add(threads.submit(() -> {
                        barrier.await();
                        return store.create(name, bytes(mark.hex()), mark);
                    }));
                }
            }
            List<Mark> winners = new ArrayList<>();
            for (int i = 0; i < marks.size(); i++) {
                if (answers.get(i).get() instanceof Created) {
                    winners.add(marks.get(i));
                }
            }
            assertThat(winners).hasSize(1);
            for (int i = 0; i < marks.size(); i++) {
                if (answers.get(i).get() instanceof Exists exists) {
                    assertThat(exists.found().mark()).isEqualTo(winners.getFirst());
                    assertThat(exists.found().content())
                            .isEqualTo(bytes(winners.getFirst().hex()));
                }
            }
            assertThat(found(name).mark()).isEqualTo(winners.getFirst());
        }
    }

    @Test
    @DisplayName("O2: a creation that is repeated with its mark is created again; another mark is refused")
    void aRepetitionIsRecognised() {
        Mark mark = mark();
        String name = fresh("repeated");
        for (int i = 0; i < 3; i++) {
            assertThat(store.create(name, bytes("a"), mark)).isInstanceOf(Created.class);
        }
        // The same bytes, but another author.
        assertThat(store.create(name, bytes("a"), mark())).isInstanceOf(Exists.class);
        assertThat(store.create(name, bytes("b"), mark())).isInstanceOf(Exists.class);
        assertThat(found(name).content()).isEqualTo(bytes("a"));
    }

    @Test
    @DisplayName("O3, O4: what was created is read as it was written")
    void whatWasCreatedIsRead() {
        byte[] large = new byte[5 << 20];
        random.nextBytes(large);
        byte[] binary = new byte[256];
        for (int i = 0; i < binary.length; i++) {
            binary[i] = (byte) i;
        }
        for (byte[] content : List.of(new byte[0], bytes("{\"é\":\"😀\"}\r\n"), binary, large)) {
            Mark mark = mark();
            String name = "a/b=c/" + fresh("D._-") + ".json";
            assertThat(store.get(name)).isInstanceOf(Absent.class);
            store.create(name, content, mark);
            StoredObject found = found(name);
            assertThat(found.content()).isEqualTo(content);
            assertThat(found.mark()).isEqualTo(mark);
            assertThat(found.name()).isEqualTo(name);
        }
    }

    @Test
    @DisplayName("O5: a list is ordered, has the prefix, begins after a name and ends at its limit")
    void listsAreOrdered() {
        String prefix = fresh("list") + "/";
        List<String> names = new ArrayList<>();
        for (String each : List.of("b/1", "a", "b/10", "B", "b/2", "b-", "b=", "c", "0000000009", "0000000010")) {
            names.add(prefix + each);
            store.create(prefix + each, bytes(each), mark());
        }
        store.create(prefix.substring(0, prefix.length() - 1) + "0", bytes("x"), mark());
        names.sort(null);
        assertThat(settled(prefix, "", names.size())).isEqualTo(names);
        for (int i = 0; i < names.size(); i++) {
            int limit = 1 + random.nextInt(4);
            List<String> expected = names.subList(i + 1, Math.min(names.size(), i + 1 + limit));
            Listing page = store.list(prefix, names.get(i), limit);
            if (!isFaulty()) {
                assertThat(page.objects().stream().map(ListedObject::name)).isEqualTo(expected);
                assertThat(page.more()).isEqualTo(i + 1 + limit < names.size());
            }
        }
        assertThat(settled(prefix + "b/", "", 3)).isEqualTo(List.of(prefix + "b/1", prefix + "b/10", prefix + "b/2"));
        Listing first = store.list(prefix, "", 1000);
        for (ListedObject object : first.objects()) {
            assertThat(object.size()).isEqualTo(object.name().length() - prefix.length());
            assertThat(object.storedAt())
                    .isBetween(serviceTime().minusSeconds(60), serviceTime().plusSeconds(5));
        }
        assertThat(store.list(fresh("nothing") + "/", "", 1000).objects()).isEmpty();
    }

    /** Lists until the list has as many names, because a list may be stale. */
    private List<String> settled(String prefix, String after, int size) {
        while (true) {
            List<String> names = store.list(prefix, after, 1000).objects().stream()
                    .map(ListedObject::name)
                    .toList();
            assertThat(names).isSorted().allMatch(name -> name.startsWith(prefix));
            if (names.size() == size || !isFaulty()) {
                return names;
            }
        }
    }

    @Test
    @DisplayName("O6: a deleted object is not found, and its name can be created again")
    void deletedIsGone() {
        String name = fresh("deleted");
        deleted(name);
        store.create(name, bytes("1"), mark());
        deleted(name);
        if (!isFaulty()) { // a delete that arrives late is tested apart
            assertThat(store.get(name)).isInstanceOf(Absent.class);
            Mark second = mark();
            assertThat(store.create(name, bytes("2"), second)).isInstanceOf(Created.class);
            assertThat(found(name).mark()).isEqualTo(second);
        }
    }

    @Test
    @DisplayName("O7: answers carry the service's time")
    void answersCarryTheTime() {
        String name = fresh("time");
        Instant from = serviceTime().minusSeconds(60);
        Instant to = serviceTime().plusSeconds(60);
        assertThat(store.get(name).date()).isBetween(from, to);
        assertThat(((Created) store.create(name, bytes("1"), mark())).date()).isBetween(from, to);
        assertThat(((Exists) store.create(name, bytes("1"), mark())).date()).isBetween(from, to);
        assertThat(store.list(name, "", 1).date()).isBetween(from, to);
        assertThat(found(name).storedAt()).isBetween(from, to);
    }

    @Test
    @DisplayName("O8: names that could leave the prefix are refused")
    void namesCannotLeaveThePrefix() {
        for (String name : List.of(
                "",
                "/",
                "/a",
                "a/",
                "a//b",
                ".",
                "..",
                "../a",
                "a/../b",
                "a/..",
                "a/./b",
                "a b",
                "a?b",
                "a%2Fb",
                "a\\b",
                "a\nb",
                "é",
                "a:b",
                "x".repeat(ObjectName.MAX_LENGTH + 1))) {
            assertThatThrownBy(() -> store.create(name, bytes("1"), mark())).isInstanceOf(InvalidInput.class);
            assertThatThrownBy(() -> store.get(name)).isInstanceOf(InvalidInput.class);
            assertThatThrownBy(() -> store.delete(name)).isInstanceOf(InvalidInput.class);
        }
        assertThatThrownBy(() -> store.list("../", "", 1)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> store.list("a", "..", 1)).isInstanceOf(InvalidInput.class);
        for (int limit : new int[] {0, -1, ObjectStore.MAX_LIST + 1}) {
            assertThatThrownBy(() -> store.list("a", "", limit)).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    @DisplayName("A closed store refuses every operation and says so")
    void aClosedStoreSaysSo() {
        store.close();
        store.close();
        for (Runnable operation : List.<Runnable>of(
                () -> store.get("a"),
                () -> store.create("a", bytes("1"), mark()),
                () -> store.list("", "", 1),
                () -> store.delete("a"))) {
            assertThatThrownBy(operation::run)
                    .isInstanceOfSatisfying(
                            StoreUnusable.class, e -> assertThat(e.isClosed()).isTrue());
        }
    }
}
