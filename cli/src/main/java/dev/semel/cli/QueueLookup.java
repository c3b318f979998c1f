package dev.semel.cli;

import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Nearest;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Looks for queues that have neither tasks nor settings: such a name is probably a typo. */
final class QueueLookup {

    private QueueLookup() {}

    /** Returns a sentence about a queue that does not exist, with the name that was probably meant; empty if it does. */
    static Optional<String> missing(Invocation invocation, TaskStore store, String queue) {
        Set<String> known = new TreeSet<>(invocation.settings().queues().keySet());
        known.addAll(invocation.settings().workers().keySet());
        store.queues().forEach((name, setUp) -> {
            known.add(name);
            String deadLetters = setUp.effective().deadLettersTo();
            if (deadLetters != null) {
                known.add(deadLetters);
            }
        });
        TaskQuery any = new TaskQuery(null, queue, null, Set.of(), null, null, 1);
        if (known.contains(queue) || !store.list(any).tasks().isEmpty()) {
            return Optional.empty();
        }
        // Counts all tasks, so only for the message.
        known.addAll(store.depths().keySet());
        return Optional.of("There is no queue \"" + queue + "\": it has no tasks and no settings."
                + Nearest.to(queue, known)
                        .map(near -> " Did you mean \"" + near + "\"?")
                        .orElse(""));
    }
}
