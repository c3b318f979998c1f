package dev.semel.benchmarks.objects;

import dev.semel.s3.objects.ListedObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;

/**
 * An object for each version of a task, one for each version of its key, and an index entry that hints at what is due. It has the
 * least that a task with a key needs: no effects, limits, mutexes, priorities or dead letters.
 */
final class ObjectPerTask implements Layout {

    private static final int AHEAD = 1_000;
    private static final long RETENTION_MILLIS = 3_600_000;

    private final VirtualService service;
    private long lost;

    ObjectPerTask(VirtualService service) {
        this.service = service;
    }

    private static String name(int task) {
        return String.format(Locale.ROOT, "%08d", task);
    }

    @Override
    public void submit(int process, int task, Runnable answered) {
        // The key first, so that a crash leaves an intention that others can finish; then the task, then the hint.
        service.put(
                "key/" + name(task) + "/1",
                key -> service.put(
                        "task/" + name(task) + "/1",
                        created -> service.put("due/" + name(task), hint -> answered.run())));
    }

    @Override
    public void claim(int process, int limit, Consumer<List<Integer>> answered) {
        service.list("due/", AHEAD, listing -> {
            List<ListedObject> due = new ArrayList<>(listing.objects());
            // Processes that all take the first ones would lose most races.
            Collections.shuffle(due, new Random(service.random().nextLong()));
            List<Integer> claimed = new ArrayList<>();
            int tried = Math.min(limit, due.size());
            if (tried == 0) {
                answered.accept(claimed);
                return;
            }
            int[] open = {tried};
            for (ListedObject hint : due.subList(0, tried)) {
                int task = Integer.parseInt(hint.name().substring("due/".length()));
                take(task, won -> {
                    if (won) {
                        claimed.add(task);
                    }
                    if (--open[0] == 0) {
                        answered.accept(claimed);
                    }
                });
            }
        });
    }

    private void take(int task, Consumer<Boolean> answered) {
        // The hint does not say the version, and the task has to be read anyway.
        service.get(
                "task/" + name(task) + "/1",
                () -> service.put("task/" + name(task) + "/2", won -> {
                    if (!won) {
                        lost++;
                    }
                    answered.accept(won);
                }));
    }

    @Override
    public void complete(int process, int task, Runnable answered) {
        service.put(
                "task/" + name(task) + "/3",
                done -> service.put(
                        "key/" + name(task) + "/2",
                        key -> service.delete("due/" + name(task), () -> {
                            answered.run();
                            // Much later: who still has an old list could otherwise claim the task again.
                            service.after(RETENTION_MILLIS, () -> clean(task));
                        })));
    }

    /** Deletes what is left after the retention: three versions of the task and two of its key. */
    private void clean(int task) {
        for (String object : List.of("task/%s/1", "task/%s/2", "task/%s/3", "key/%s/1", "key/%s/2")) {
            service.delete(String.format(Locale.ROOT, object, name(task)), () -> {});
        }
    }

    @Override
    public long lost() {
        return lost;
    }
}
