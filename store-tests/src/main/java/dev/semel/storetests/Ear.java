package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.StoreListener;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Records hints, on whatever thread they are delivered. An empty hint, of unknown queues or tasks, counts for all. */
class Ear implements StoreListener {

    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @Override
    public void tasksMayBeDue(Collection<String> queues) {
        heard.add(queues.isEmpty() ? "due ?" : "due " + queues);
    }

    @Override
    public void tasksMayHaveEnded(Collection<TaskId> ended) {
        heard.add(ended.isEmpty() ? "ended ?" : "ended " + ended);
    }

    void awaitDue(String queue) {
        await(hint -> hint.equals("due ?") || (hint.startsWith("due [") && hint.contains(queue)), "due in " + queue);
    }

    void awaitEnded(TaskId id) {
        String text = id.toString();
        await(hint -> hint.equals("ended ?") || (hint.startsWith("ended [") && hint.contains(text)), "end of " + id);
    }

    void forget() {
        heard.clear();
    }

    List<String> heard() {
        return List.copyOf(heard);
    }

    private void await(Predicate<String> expected, String what) {
        try {
            String hint = heard.poll(60, TimeUnit.SECONDS);
            while (hint != null && !expected.test(hint)) {
                hint = heard.poll(60, TimeUnit.SECONDS);
            }
            assertThat(hint).as("a hint of %s", what).isNotNull();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for a hint of " + what, e);
        }
    }
}
