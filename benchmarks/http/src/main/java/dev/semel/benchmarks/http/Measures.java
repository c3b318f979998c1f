package dev.semel.benchmarks.http;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.client.HttpTaskStore;
import dev.semel.engine.Worker;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** All measures. */
final class Measures {

    private static final String QUEUE = "bench";
    private static final TaskType<Work, Integer> TYPE =
            TaskType.builder("noop", Work.class, Integer.class).queue(QUEUE).build();
    private static final int CONNECTIONS = 64;
    private static final int BATCH = 1_000;
    private static final int POLLS = 10_000;
    private static final int SLOW = 500;

    private final Path directory;
    private final boolean brief;
    private final int repeats;
    private final double seconds;

    Measures(Path directory, boolean brief) {
        this.directory = directory;
        this.brief = brief;
        this.repeats = brief ? 3 : 5;
        this.seconds = brief ? 3 : 6;
    }

    /** The input of a task that does nothing. */
    record Work(int number, String filler) {}

    /** Takes a measure and prints it. */
    interface Action {
        void run() throws Exception;
    }

    /** A measure. */
    record Measure(String name, String title, Action action) {}

    List<Measure> all() {
        return List.of(
                new Measure("libraries", "Libraries: an empty POST, start, size", this::libraries),
                new Measure("submit", "Submitting with keys, one by one, from 64 connections", this::submit),
                new Measure("batches", "Submitting in batches of 1,000", this::batches),
                new Measure("drain", "Draining by one worker", this::drain),
                new Measure("idle", "From a submission to its start, idle", this::idle),
                new Measure("polls", "10,000 requests that wait", this::polls),
                new Measure("slow", "500 clients that send a byte every half second", this::slow));
    }

    private Path file() {
        return directory.resolve(UUID.randomUUID() + ".db");
    }

    private static void line(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    private void libraries() throws IOException {
        line("| library | empty POST, requests/s | first start, ms | size, kB |");
        line("|---|---|---|---|");
        Map<Library, ServerProcess> servers = new EnumMap<>(Library.class);
        Map<Library, Samples> samples = new EnumMap<>(Library.class);
        try {
            for (Library library : Library.values()) {
                servers.put(library, ServerProcess.of(library));
                samples.put(library, new Samples());
            }
            turns(servers, samples);
        } finally {
            for (ServerProcess server : servers.values()) {
                server.close();
            }
        }
        for (Library library : Library.values()) {
            line(
                    "| %s | %s | %d | %,d |",
                    library.title(), samples.get(library), start(library), library.bytes() / 1_000);
        }
    }

    private static long start(Library library) throws IOException {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (ServerProcess server = ServerProcess.of(library)) {
                millis.add((double) server.startMillis());
            }
        }
        return (long) Samples.median(millis);
    }

    private void turns(Map<Library, ServerProcess> servers, Map<Library, Samples> samples) throws IOException {
        for (ServerProcess server : servers.values()) {
            Load.warmUp(server.port(), CONNECTIONS, Requests.keyed("warm"));
        }
        for (int i = 0; i < repeats; i++) {
            for (Library library : servers.keySet()) {
                samples.get(library)
                        .add(Load.perSecond(servers.get(library).port(), CONNECTIONS, Requests.keyed("key"), seconds));
            }
        }
    }

    private void submit() throws IOException {
        Samples ours = new Samples();
        Samples ourMicros = new Samples();
        Samples inProcess = new Samples();
        Map<Library, Samples> samples = new EnumMap<>(Library.class);
        Map<Library, Samples> micros = new EnumMap<>(Library.class);
        Map<Library, ServerProcess> servers = new EnumMap<>(Library.class);
        try (ServerProcess semel = ServerProcess.ofSemel(file());
                Semel embedded = embedded(file())) {
            for (Library library : Library.values()) {
                servers.put(library, ServerProcess.of(library));
                samples.put(library, new Samples());
                micros.put(library, new Samples());
            }
            Load.warmUp(semel.port(), CONNECTIONS, Requests.keyed("warm"));
            submitSingly(embedded, "warm", seconds * 3);
            for (ServerProcess server : servers.values()) {
                Load.warmUp(server.port(), CONNECTIONS, Requests.keyed("warm"));
            }
            for (int i = 0; i < repeats; i++) {
                sample(semel, "round-" + i, ours, ourMicros);
                inProcess.add(submitSingly(embedded, "round-" + i, seconds));
                for (Library library : Library.values()) {
                    sample(servers.get(library), "key", samples.get(library), micros.get(library));
                }
            }
        } finally {
            for (ServerProcess server : servers.values()) {
                server.close();
            }
        }
        line("| what | requests/s | processor time of the server for a request, µs | Semel to it |");
        line("|---|---|---|---|");
        line("| Semel, accepted and on the disk | %s | %s | |", ours, ourMicros);
        line("| Semel in the process, 64 callers | %s | | %.2f |", inProcess, ours.ratioTo(inProcess));
        samples.forEach((library, figures) -> line(
                "| empty POST on %s | %s | %s | %.2f |",
                library.title(), figures, micros.get(library), ours.ratioTo(figures)));
    }

    /** Takes a sample of requests per second, and of the server's processor time for each. */
    private void sample(ServerProcess server, String prefix, Samples rates, Samples micros) throws IOException {
        long before = server.figures(false).processorNanos();
        long begun = System.nanoTime();
        double rate = Load.perSecond(server.port(), CONNECTIONS, Requests.keyed(prefix), seconds);
        double requests = rate * (System.nanoTime() - begun) / 1e9;
        rates.add(rate);
        micros.add((server.figures(false).processorNanos() - before) / 1e3 / requests);
    }

    private static double submitSingly(Semel semel, String prefix, double seconds) {
        String filler = "x".repeat(70);
        AtomicInteger next = new AtomicInteger();
        long begun = System.nanoTime();
        long end = begun + (long) (seconds * 1e9);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                callers.execute(() -> {
                    while (System.nanoTime() < end) {
                        int number = next.getAndIncrement();
                        semel.submit(TYPE, new Work(number, filler))
                                .idempotencyKey(prefix + "-" + number)
                                .send();
                    }
                });
            }
        }
        return next.get() * 1e9 / (System.nanoTime() - begun);
    }

    private void batches() throws IOException {
        int batches = brief ? 40 : 100;
        Samples inProcess = new Samples();
        Samples client = new Samples();
        Samples posted = new Samples();
        try (ServerProcess server = ServerProcess.ofSemel(file());
                Semel remote = remote(server);
                Semel embedded = embedded(file())) {
            submitAll(embedded, "warm", batches);
            submitAll(remote, "warm", batches);
            Load.perSecondOf(server.port(), 1, Requests.batches("post", batches, BATCH), batches);
            for (int i = 0; i < repeats; i++) {
                inProcess.add(submitAll(embedded, "round-" + i, batches));
                client.add(submitAll(remote, "round-" + i, batches));
                posted.add(BATCH
                        * Load.perSecondOf(server.port(), 1, Requests.batches("post-" + i, batches, BATCH), batches));
            }
        }
        line("| what, one caller | tasks/s | to submitAll in the process |");
        line("|---|---|---|");
        line("| `submitAll` in the process | %s | |", inProcess);
        line("| `POST /v1/tasks` with an array | %s | %.2f |", posted, posted.ratioTo(inProcess));
        line("| `submitAll` on `HttpTaskStore` | %s | %.2f |", client, client.ratioTo(inProcess));
    }

    private static Semel remote(ServerProcess server) {
        return Semel.on(HttpTaskStore.open(server.url())).withoutShutdownHook().build();
    }

    private static Semel embedded(Path file) {
        return Semel.on(SqliteTaskStore.open(file)).withoutShutdownHook().build();
    }

    private static double submitAll(Semel semel, String prefix, int batches) {
        String filler = "x".repeat(70);
        long begun = System.nanoTime();
        for (int batch = 0; batch < batches; batch++) {
            List<SubmissionRequest<Work, Integer>> requests = new ArrayList<>(BATCH);
            for (int i = 0; i < BATCH; i++) {
                int number = batch * BATCH + i;
                requests.add(semel.submit(TYPE, new Work(number, filler)).idempotencyKey(prefix + "-" + number));
            }
            for (SubmitOutcome<Integer> outcome : semel.submitAll(requests)) {
                if (!(outcome instanceof SubmitOutcome.Accepted<Integer> accepted)
                        || !accepted.submission().created()) {
                    throw new IllegalStateException("A task was not created");
                }
            }
        }
        return batches * BATCH * 1e9 / (System.nanoTime() - begun);
    }

    private void drain() throws Exception {
        int tasks = brief ? 40_000 : 100_000;
        Samples embedded = new Samples();
        Samples remote = new Samples();
        Path file = file();
        try (ServerProcess server = ServerProcess.ofSemel(file())) {
            // The first two warm up both sides.
            for (int i = -2; i < repeats; i++) {
                double inProcess = drain(() -> SqliteTaskStore.open(file), "round" + i, tasks);
                double overHttp = drain(() -> HttpTaskStore.open(server.url()), "round" + i, tasks);
                if (i >= 0) {
                    embedded.add(inProcess);
                    remote.add(overHttp);
                }
            }
        }
        line("| worker | tasks/s | ratio |");
        line("|---|---|---|");
        line("| in the process | %s | |", embedded);
        line("| on `HttpTaskStore` | %s | %.2f |", remote, remote.ratioTo(embedded));
    }

    private static double drain(Supplier<TaskStore> store, String prefix, int tasks) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(tasks);
        try (Semel semel = Semel.on(store.get()).withoutShutdownHook().build()) {
            submitAll(semel, prefix, tasks / BATCH);
            long begun = System.nanoTime();
            try (Worker worker = semel.worker(QUEUE)
                    .handle(TYPE, (context, work) -> {
                        left.countDown();
                        return work.number();
                    })
                    .concurrency(64)
                    .start()) {
                if (!left.await(5, TimeUnit.MINUTES)) {
                    throw new IllegalStateException("The worker did not run all tasks within 5 minutes");
                }
                long nanos = System.nanoTime() - begun;
                worker.close();
                return tasks * 1e9 / nanos;
            }
        }
    }

    private void idle() throws Exception {
        line("| submitter and worker | p50, ms | p90 | p99 |");
        line("|---|---|---|---|");
        try (Semel semel = embedded(file())) {
            idle("one program on the file", semel, semel);
        }
        try (ServerProcess server = ServerProcess.ofSemel(file());
                Semel working = remote(server);
                Semel submitting = remote(server)) {
            idle("two clients of a server", working, submitting);
        }
    }

    private void idle(String title, Semel working, Semel submitting) throws Exception {
        LinkedBlockingQueue<Long> started = new LinkedBlockingQueue<>();
        List<Double> millis = new ArrayList<>();
        int pings = brief ? 200 : 500;
        try (Worker worker = working.worker(QUEUE)
                .handle(TYPE, (context, work) -> {
                    started.add(System.nanoTime());
                    return work.number();
                })
                .start()) {
            for (int i = 0; i < 2 * pings; i++) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(5_000_000, 25_000_000));
                long begun = System.nanoTime();
                submitting.submit(TYPE, new Work(i, "")).send();
                Long at = started.poll(1, TimeUnit.MINUTES);
                if (at == null) {
                    throw new IllegalStateException("A task did not start within a minute");
                }
                if (i >= pings) {
                    millis.add((at - begun) / 1e6);
                }
            }
            worker.close();
        }
        millis.sort(null);
        line(
                "| %s | %.2f | %.2f | %.2f |",
                title, millis.get(pings / 2), millis.get(pings * 9 / 10), millis.get(pings * 99 / 100));
    }

    private void polls() throws Exception {
        line("| server | requests that wait | heap, MB | platform threads | processor, %% of a core |");
        line("|---|---|---|---|---|");
        for (Library library : Library.values()) {
            try (ServerProcess server = ServerProcess.of(library);
                    Connections waiting = Connections.open(server.port(), POLLS, i -> Requests.get("/wait"))) {
                waiting(library.title() + ", empty handler", server);
            }
        }
        try (ServerProcess server = ServerProcess.ofSemel(file());
                Semel semel = remote(server)) {
            String id = semel.submit(TYPE, new Work(1, "")).send().taskId().toString();
            try (Connections waiting =
                    Connections.open(server.port(), POLLS, i -> Requests.get("/v1/tasks/" + id + "/result?wait=60"))) {
                waiting("Semel, results", server);
            }
        }
        try (ServerProcess server = ServerProcess.ofSemel(file());
                Connections waiting = Connections.open(server.port(), POLLS, Requests::claim)) {
            waiting("Semel, claims", server);
        }
    }

    private static void waiting(String title, ServerProcess server) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (server.figures(false).waiting() < POLLS && System.nanoTime() < deadline) {
            LockSupport.parkNanos(100_000_000);
        }
        LockSupport.parkNanos(3_000_000_000L);
        ServerProcess.Figures before = server.figures(true);
        long begun = System.nanoTime();
        LockSupport.parkNanos(5_000_000_000L);
        ServerProcess.Figures after = server.figures(false);
        line(
                "| %s | %,d | %,.0f | %d | %.1f |",
                title,
                after.waiting(),
                before.heap() / 1e6,
                after.threads(),
                100.0 * (after.processorNanos() - before.processorNanos()) / (System.nanoTime() - begun));
    }

    private void slow() throws Exception {
        line(
                "| server | headers: closed after | bodies: closed after | empty POST beside the slow headers, to without |");
        line("|---|---|---|---|");
        for (Library library : Library.values()) {
            try (ServerProcess server = ServerProcess.of(library)) {
                slow(library.title(), server);
            }
        }
        try (ServerProcess server = ServerProcess.ofSemel(file())) {
            slow("Semel", server);
        }
    }

    private void slow(String title, ServerProcess server) throws IOException {
        byte[] headers = "POST /v1/tasks HTTP/1.1\r\nHost: ".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        byte[] bodies = ("POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 4000\r\n\r\n ")
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        Load.warmUp(server.port(), CONNECTIONS, Requests.keyed("warm"));
        double alone = Load.perSecond(server.port(), CONNECTIONS, Requests.keyed("alone"), seconds);
        double beside;
        try (Connections slow = Connections.open(server.port(), SLOW, i -> headers)) {
            beside = Load.perSecond(server.port(), CONNECTIONS, Requests.keyed("beside"), seconds);
        }
        line(
                "| %s | %s | %s | %.2f |",
                title,
                closedAfter(server, headers, (byte) 'a'),
                closedAfter(server, bodies, (byte) ' '),
                beside / alone);
    }

    private String closedAfter(ServerProcess server, byte[] first, byte more) throws IOException {
        double most = brief ? 20 : 45;
        long begun = System.nanoTime();
        try (Connections slow = Connections.open(server.port(), SLOW, i -> first)) {
            int open = SLOW;
            while (open > 0 && System.nanoTime() - begun < most * 1e9) {
                LockSupport.parkNanos(500_000_000);
                open = slow.drip(more);
            }
            double took = (System.nanoTime() - begun) / 1e9;
            return open == 0
                    ? String.format(Locale.ROOT, "%.0f s", took)
                    : String.format(Locale.ROOT, "not within %.0f s (%d of %d open)", most, open, SLOW);
        }
    }
}
