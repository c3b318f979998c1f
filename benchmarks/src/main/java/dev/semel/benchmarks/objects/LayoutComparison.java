package dev.semel.benchmarks.objects;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Compares an object for each task with one ordered log, in virtual time: requests and price of a task, latency, and what more
 * processes cost. The prototypes leave out everything that does not change the number of requests.
 */
public final class LayoutComparison {

    private static final int SUBMITTERS = 64;
    private static final int HANDLERS = 256;
    private static final long IDLE_MILLIS = 500;

    private final VirtualService service = new VirtualService();
    private final Layout layout;
    private final int processes;
    private final int tasks;
    private final List<Long> latencies = new ArrayList<>();
    private int submitted;
    private int completed;
    private long lastAnswer;

    private LayoutComparison(String kind, int processes, int tasks) {
        this.layout = kind.equals("log") ? new OrderedLog(service, processes) : new ObjectPerTask(service);
        this.processes = processes;
        this.tasks = tasks;
    }

    /**
     * Runs the comparison.
     *
     * @param arguments the number of tasks; 10,000 if there is none
     */
    public static void main(String[] arguments) {
        run(arguments.length == 0 ? 10_000 : Integer.parseInt(arguments[0]), System.out);
    }

    static void run(int tasks, PrintStream out) {
        out.println("| layout | processes | requests per task | $ per million tasks | submit p50 | p99 | tasks/s | lost"
                + " races |");
        out.println("|---|--:|--:|--:|--:|--:|--:|--:|");
        for (String kind : List.of("objects", "log")) {
            for (int processes : new int[] {1, 2, 4, 16}) {
                out.println(new LayoutComparison(kind, processes, tasks).measured(kind));
            }
        }
    }

    private String measured(String kind) {
        for (int i = 0; i < SUBMITTERS; i++) {
            submit(i % processes);
        }
        for (int process = 0; process < processes; process++) {
            claim(process, HANDLERS / processes);
        }
        service.play();
        if (completed != tasks) {
            throw new IllegalStateException("Expected " + tasks + " completed tasks, but there are " + completed);
        }
        Collections.sort(latencies);
        return String.format(
                Locale.ROOT,
                "| %s | %d | %.3f | %.2f | %d ms | %d ms | %.0f | %d |",
                kind,
                processes,
                service.requests() / (double) tasks,
                service.dollars() / tasks * 1_000_000,
                latencies.get(tasks / 2),
                latencies.get(tasks * 99 / 100),
                tasks * 1_000.0 / lastAnswer,
                layout.lost());
    }

    private void submit(int process) {
        if (submitted == tasks) {
            return;
        }
        int task = submitted++;
        long began = service.now();
        layout.submit(process, task, () -> {
            latencies.add(service.now() - began);
            submit(process);
        });
    }

    private void claim(int process, int free) {
        if (completed == tasks) {
            return;
        }
        layout.claim(process, free, claimed -> {
            if (claimed.isEmpty()) {
                service.after(IDLE_MILLIS, () -> claim(process, free));
                return;
            }
            int[] open = {claimed.size()};
            for (int task : claimed) {
                layout.complete(process, task, () -> {
                    completed++;
                    lastAnswer = service.now();
                    if (--open[0] == 0) {
                        claim(process, free);
                    }
                });
            }
        });
    }
}
