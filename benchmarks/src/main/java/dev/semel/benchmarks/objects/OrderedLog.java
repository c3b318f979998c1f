package dev.semel.benchmarks.objects;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * One log for all tasks. Each process has a replica; one PUT of the next number carries everything that waits in the process; who
 * finds the number taken reads the entries that it lacks and runs its operations again.
 */
final class OrderedLog implements Layout {

    private interface Operation {
        /** Runs on the replica; returns what to do once the entry is created. */
        Runnable run(Deque<Integer> pending);
    }

    private static final class Replica {
        private final Deque<Operation> waiting = new ArrayDeque<>();
        private int at;
        private boolean busy;
    }

    private final VirtualService service;
    private final List<Replica> replicas = new ArrayList<>();
    // The state after the newest entry; a replica that is behind reads the entries before it may use it.
    private final Deque<Integer> pending = new ArrayDeque<>();
    private int newest;
    private long lost;

    OrderedLog(VirtualService service, int processes) {
        this.service = service;
        for (int i = 0; i < processes; i++) {
            replicas.add(new Replica());
        }
    }

    @Override
    public void submit(int process, int task, Runnable answered) {
        enqueue(process, state -> {
            state.add(task);
            return answered;
        });
    }

    @Override
    public void claim(int process, int limit, Consumer<List<Integer>> answered) {
        if (pending.isEmpty()) {
            // Nothing to change: no entry, only a look whether there is a newer one.
            service.get(name(newest + 1), () -> answered.accept(List.of()));
            return;
        }
        enqueue(process, state -> {
            List<Integer> claimed = new ArrayList<>();
            while (claimed.size() < limit && !state.isEmpty()) {
                claimed.add(state.poll());
            }
            return () -> answered.accept(claimed);
        });
    }

    @Override
    public void complete(int process, int task, Runnable answered) {
        enqueue(process, state -> answered);
    }

    private void enqueue(int process, Operation operation) {
        Replica replica = replicas.get(process);
        replica.waiting.add(operation);
        if (!replica.busy) {
            replica.busy = true;
            // What arrives at the same moment goes along.
            service.after(0, () -> append(replica));
        }
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "log/%010d", number);
    }

    private void append(Replica replica) {
        List<Operation> carried = List.copyOf(replica.waiting);
        int number = replica.at + 1;
        service.put(name(number), created -> {
            if (!created) {
                lost++;
                catchUp(replica);
                return;
            }
            newest = number;
            replica.at = number;
            List<Runnable> answers = new ArrayList<>();
            for (Operation operation : carried) {
                replica.waiting.remove(operation);
                answers.add(operation.run(pending));
            }
            answers.forEach(Runnable::run);
            if (replica.waiting.isEmpty()) {
                replica.busy = false;
            } else {
                append(replica);
            }
        });
    }

    /** Reads the entries that the replica lacks, one by one, as it does not know how many there are. */
    private void catchUp(Replica replica) {
        service.get(name(replica.at + 1), () -> {
            replica.at++;
            if (replica.at < newest) {
                catchUp(replica);
            } else {
                append(replica);
            }
        });
    }

    @Override
    public long lost() {
        return lost;
    }
}
