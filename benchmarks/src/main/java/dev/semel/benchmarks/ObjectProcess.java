package dev.semel.benchmarks;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.engine.Worker;
import dev.semel.s3.S3Settings;
import dev.semel.s3.S3TaskStore;
import dev.semel.s3.log.LogSettings;
import dev.semel.s3.objects.RetryingObjectStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A process that works on a prefix of object storage, with a replica of its own: this one, or a child of it, whose main class it
 * is.
 */
final class ObjectProcess implements AutoCloseable {

    static final String GO = "go";
    static final String STOP = "stop";
    static final String DONE = "done ";

    private static final int INPUT = 1_000;
    private static final int WARM_UP = 2_000;
    private static final long REPORT_NANOS = 10_000_000;

    /**
     * A share of the work.
     *
     * @param first the number of its first task
     * @param tasks how many tasks it submits
     * @param submitters how many threads submit
     * @param batch how many tasks each call submits
     * @param handlers how many handlers its worker has
     */
    record Share(int first, int tasks, int submitters, int batch, int handlers) {}

    private final SlowObjects service;
    private final S3TaskStore objects;
    private final CountingStore store;
    private final Semel semel;

    ObjectProcess(String url, Path directory, Duration delay) {
        S3Settings settings = S3Settings.of(url);
        this.service = new SlowObjects(settings.service(), delay);
        this.objects = S3TaskStore.open(
                RetryingObjectStore.on(service, settings.retries()),
                settings.toString(),
                LogSettings.standard().withDirectory(directory));
        this.store = new CountingStore(objects);
        this.semel = Semel.on(store).build();
    }

    Requests requests() {
        return service.requests();
    }

    S3TaskStore objects() {
        return objects;
    }

    CountingStore store() {
        return store;
    }

    Semel semel() {
        return semel;
    }

    Worker work(int handlers) {
        return semel.worker(Work.QUEUE)
                .concurrency(handlers)
                .handle(Work.TYPE, (context, work) -> null)
                .start();
    }

    SubmissionRequest<Work, @Nullable Void> request(int number) {
        return semel.submit(Work.TYPE, Work.of(number, INPUT)).idempotencyKey("key-" + number);
    }

    void submit(Share share) {
        int calls = (share.tasks() + share.batch() - 1) / share.batch();
        Lap unused = Callers.run(share.submitters(), calls, call -> {
            List<SubmissionRequest<Work, @Nullable Void>> requests = new ArrayList<>(share.batch());
            int end = Math.min(share.tasks(), (call + 1) * share.batch());
            for (int i = call * share.batch(); i < end; i++) {
                requests.add(request(share.first() + i));
            }
            if (requests.size() == 1) {
                requests.getFirst().send();
            } else {
                semel.submitAll(requests);
            }
        });
    }

    /**
     * Takes part in the whole life of tasks: submits a share, and completes tasks until its parent says that all are.
     *
     * @param arguments the directory of replicas, the delay in milliseconds, and the share
     * @throws IOException if the parent has ended
     */
    public static void main(String[] arguments) throws IOException {
        String url = Objects.requireNonNull(System.getenv(ChildMain.STORE), ChildMain.STORE);
        int[] numbers = new int[arguments.length - 1];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i + 1]);
        }
        Share share = new Share(numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        warmUp(url, share);
        try (ObjectProcess process = new ObjectProcess(url, Path.of(arguments[0]), Duration.ofMillis(numbers[0]))) {
            say(ChildMain.READY);
            if (GO.equals(in.readLine())) {
                process.live(share, in);
            }
        }
    }

    /** Lives a while on a prefix of its own, so that the compiler has seen everything. */
    private static void warmUp(String url, Share share) {
        Share small = new Share(0, WARM_UP, share.submitters(), share.batch(), share.handlers());
        try (ObjectPlace place = ObjectPlace.below(url);
                ObjectProcess process = place.open(Duration.ZERO);
                Worker worker = process.work(share.handlers())) {
            process.submit(small);
            process.store().awaitCompleted(WARM_UP);
            worker.close();
        }
    }

    private void live(Share share, BufferedReader in) throws IOException {
        Requests before = requests();
        try (Worker worker = work(share.handlers())) {
            submit(share);
            report(in);
            worker.close();
        }
        say(requests().minus(before).text());
    }

    /** Prints how many tasks it has completed whenever that has changed. */
    private void report(BufferedReader in) throws IOException {
        long reported = -1;
        while (!in.ready()) {
            long completed = store.completed();
            if (completed != reported) {
                say(DONE + completed);
                reported = completed;
            }
            LockSupport.parkNanos(REPORT_NANOS);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    @Override
    public void close() {
        semel.close();
        objects.close();
    }
}
