package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.SubmissionRequest;
import dev.semel.engine.RawJson;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.PermanentFailure;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The child processes of {@code semel demo}; hidden from the help. A child prints one line for each event, and exits
 * when its standard input ends, so that no child outlives a killed parent.
 */
final class DemoChildCommand implements Command {

    static final String NAME = "demo-child";

    /** Several concurrent callers. Arguments: number of threads, queue, key, input. */
    static final String CALLERS = "callers";

    /** A worker. Arguments: queue, lease, and whether its handler hangs or fails. */
    static final String WORKER = "worker";

    /**
     * A worker without an engine, which completes its task even after it has lost the lease. Arguments: queue, lease.
     */
    static final String BARE_WORKER = "bare-worker";

    /** A caller whose first answer is lost. Arguments: queue, input. */
    static final String LOST_ANSWER = "lost-answer";

    static final String HANG = "hang";
    static final String FAIL = "fail";
    static final String GO = "go";
    static final TaskType<RawJson, RawJson> CHARGE = TaskType.of("charge", RawJson.class, RawJson.class);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(this, "One process of the demonstration.", "")
                .addPositional(Options.positions("ROLE", "What to do."));
        spec.usageMessage().hidden(true);
        return spec;
    }

    @Override
    public int run(Invocation invocation) {
        List<String> words = invocation.positions();
        BufferedReader in =
                new BufferedReader(new InputStreamReader(invocation.console().in(), StandardCharsets.UTF_8));
        PrintStream out = invocation.console().out();
        try (TaskStore store = invocation.store().open()) {
            switch (words.getFirst()) {
                case CALLERS -> callers(store, words, in, out);
                case WORKER -> worker(store, words, in, out);
                case BARE_WORKER -> bareWorker(store, words, in, out);
                case LOST_ANSWER -> lostAnswer(store, words, out);
                default -> throw new InvalidInput("Unknown role \"" + Text.shown(words.getFirst()) + "\".");
            }
            return ExitCode.DONE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    private static void callers(TaskStore store, List<String> words, BufferedReader in, PrintStream out)
            throws IOException, InterruptedException {
        int number = Integer.parseInt(words.get(1));
        LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> callers = new ArrayList<>();
        try (Semel semel = Semel.on(store).build()) {
            for (int i = 0; i < number; i++) {
                SubmissionRequest<RawJson, RawJson> request = semel.submit(CHARGE, new RawJson(words.get(4)))
                        .queue(words.get(2))
                        .idempotencyKey(words.get(3));
                callers.add(Thread.ofPlatform().start(() -> {
                    await(go);
                    Submission<RawJson> answer = request.send();
                    answers.add(new JsonText()
                            .put("task_id", answer.taskId().toString())
                            .put("created", answer.created())
                            .toString());
                }));
            }
            out.println("ready");
            in.readLine();
            go.countDown();
            for (Thread caller : callers) {
                caller.join();
            }
            answers.forEach(out::println);
        }
    }

    private static void worker(TaskStore store, List<String> words, BufferedReader in, PrintStream out)
            throws IOException {
        boolean hangs = words.contains(HANG);
        boolean fails = words.contains(FAIL);
        try (Semel semel = Semel.on(store).build()) {
            semel.worker(words.get(1))
                    .lease(Duration.ofMillis(Long.parseLong(words.get(2))))
                    // The parent has exited, so nothing waits for this child.
                    .closeGrace(Duration.ofMillis(100))
                    .handle(CHARGE, (context, input) -> {
                        out.println("handling " + context.taskId() + " attempt " + context.attempt());
                        if (hangs) {
                            new CountDownLatch(1).await();
                        }
                        if (fails) {
                            out.println("token " + context.token("gateway"));
                            throw new PermanentFailure("the gateway is closed");
                        }
                        return new RawJson(new JsonText()
                                .put("receipt", context.token("gateway"))
                                .put("attempt", context.attempt())
                                .put("process", ProcessHandle.current().pid())
                                .toString());
                    })
                    .start();
            out.println("ready");
            in.readLine();
        }
    }

    private static void bareWorker(TaskStore store, List<String> words, BufferedReader in, PrintStream out)
            throws IOException, InterruptedException {
        Duration lease = Duration.ofMillis(Long.parseLong(words.get(2)));
        String name = ProcessHandle.current().pid() + "-bare";
        out.println("ready");
        long claim = System.nanoTime();
        List<Claimed> claimed = List.of();
        while (claimed.isEmpty()) {
            claimed = store.claim(new ClaimRequest(
                            claim++, false, Set.of(words.get(1)), Set.of(CHARGE.name()), 1, 1, lease, name))
                    .tasks();
            if (claimed.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        Claimed mine = claimed.getFirst();
        out.println("handling " + mine.task().id() + " attempt " + mine.lease().attempt());
        in.readLine();
        Settlement late = new Settlement.Complete(mine.lease(), "{\"receipt\":\"of the frozen worker\"}");
        out.println(store.settle(List.of(late)).getFirst());
        in.readLine();
    }

    private static void lostAnswer(TaskStore store, List<String> words, PrintStream out) {
        try (Semel semel = Semel.on(losingFirstAnswer(store)).build()) {
            SubmissionRequest<RawJson, RawJson> request =
                    semel.submit(CHARGE, new RawJson(words.get(2))).queue(words.get(1));
            String first;
            try {
                first = "created " + request.send().created();
            } catch (StoreUnavailable e) {
                first = "no answer";
            }
            Submission<RawJson> second = request.send();
            out.println(new JsonText()
                    .put("first", first)
                    .put("task_id", second.taskId().toString())
                    .put("created", second.created())
                    .put("run", second.run()));
        }
    }

    /**
     * Returns a store that performs the first submission and then fails, like a connection that breaks after the
     * commit.
     */
    private static TaskStore losingFirstAnswer(TaskStore store) {
        AtomicBoolean lost = new AtomicBoolean();
        return (TaskStore) Proxy.newProxyInstance(
                TaskStore.class.getClassLoader(), new Class<?>[] {TaskStore.class}, (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(store, arguments);
                        if (method.getName().equals("submit") && lost.compareAndSet(false, true)) {
                            throw new StoreUnavailable("The answer was lost on its way.");
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
