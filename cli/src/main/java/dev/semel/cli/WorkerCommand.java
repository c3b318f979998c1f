package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.engine.Worker;
import dev.semel.engine.WorkerSettings;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel worker QUEUE… --exec COMMAND}: runs any program as the handler of tasks. */
final class WorkerCommand implements Command {

    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);
    private static final Duration USUAL_GRACE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofSeconds(1);

    // With --once the end of the work shows at the next look.
    private static final Duration POLL_ONCE = Duration.ofMillis(100);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(
                this,
                "Works off tasks with a program of your own.",
                "The program gets the input on its standard input and writes the result to its standard output."
                        + " SEMEL_TASK_ID, SEMEL_KEY, SEMEL_ATTEMPT, SEMEL_RUN, SEMEL_TOKEN, SEMEL_TYPE, SEMEL_QUEUE and"
                        + " SEMEL_TENANT are in its environment. Its exit code: 0 done, 75 retry, 65 failed for good, any other"
                        + " failed and retried by policy. Its standard error is kept as the error.",
                "semel worker payments --exec './charge.sh'",
                "semel worker mail reports --exec 'python3 handle.py' --type send --concurrency 8 --timeout 5m",
                "semel worker payments --exec ./charge.sh --once --json");
        return spec.addPositional(Options.positions("QUEUE", "The queues to take tasks from."))
                .addOption(Options.required("--exec", "COMMAND", "What to run for each task, through \"sh -c\"."))
                .addOption(
                        Options.repeated("--type", "TYPE", "Take only tasks of this type; may be repeated. Any type."))
                .addOption(Options.value("--concurrency", "N", "How many to run at once; the number of processors."))
                .addOption(Options.value(
                        "--lease", "DURATION", "A worker that is not heard of for this long has lost its task; 30s."))
                .addOption(Options.value("--timeout", "DURATION", "How long one attempt may run; no limit."))
                .addOption(Options.value("--max-attempts", "N", "How many attempts may fail; 5."))
                .addOption(Options.value(
                        "--grace", "DURATION", "How long to wait for running programs when told to end; 30s."))
                .addOption(Options.flag(
                        "--once",
                        "Leave when nothing is due; what waits for its retry or its start is left for later."));
    }

    @Override
    public int run(Invocation invocation) {
        Wish wish = Wish.read(invocation);
        Console console = invocation.console();
        boolean once = invocation.has("--once");
        WorkLog log = new WorkLog(console, invocation.json());
        StoreUrl url = invocation.store();
        CountDownLatch closed = new CountDownLatch(1);
        try (ExecHandler handler = new ExecHandler(wish.command());
                Semel semel = invocation.semel(new ObservedStore(url.open(), log));
                AtSignal atSignal = new AtSignal(() -> close(handler, semel, closed))) {
            wish.start(semel, handler, once);
            if (!invocation.json() && !once) {
                console.err()
                        .println("Working on " + String.join(", ", wish.queues()) + " in " + url + ", up to "
                                + wish.concurrency() + " at once. Ctrl-C ends it when what runs has ended.");
            }
            if (once) {
                log.awaitDrained();
            } else {
                closed.await();
            }
            return ExitCode.DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    /** At a signal: takes no more, waits for what runs, puts the rest back. */
    private static void close(ExecHandler handler, Semel semel, CountDownLatch closed) {
        handler.beginClose();
        semel.close();
        handler.close();
        closed.countDown();
    }

    /** All that the caller gave, checked. */
    private record Wish(
            Set<String> queues,
            String command,
            List<String> types,
            int concurrency,
            Duration lease,
            @Nullable Duration timeout,
            RetryPolicy retry,
            Duration grace) {

        static Wish read(Invocation invocation) {
            invocation.refuseTenant(
                    "A worker takes the tasks of all tenants in its queues, and tenants are kept apart by"
                            + " queues of their own");
            Set<String> queues = new LinkedHashSet<>();
            invocation.positions().forEach(queue -> queues.add(Limits.name("queue", queue)));
            String command = invocation.text("--exec", "");
            if (command.isBlank()) {
                throw new InvalidInput(
                        "Option --exec takes a command, but got \"\". Give, for example, './charge.sh'.");
            }
            Duration timeout = invocation.duration("--timeout");
            Integer attempts = invocation.number("--max-attempts");
            Wish wish = new Wish(
                    queues,
                    command,
                    invocation.texts("--type").stream()
                            .map(type -> Limits.name("task type", type))
                            .distinct()
                            .toList(),
                    invocation.number("--concurrency", Runtime.getRuntime().availableProcessors()),
                    invocation.duration("--lease", USUAL_LEASE),
                    timeout == null ? null : Limits.positive("timeout", timeout),
                    attempts == null ? RetryPolicy.standard() : RetryPolicy.attempts(attempts),
                    invocation.duration("--grace", USUAL_GRACE));
            // Checks the settings now, before there is a store, and not when the worker starts.
            new WorkerSettings("check", queues, wish.concurrency, 0, wish.lease, POLL, 1, WorkerSettings.FEWEST_BYTES);
            return wish;
        }

        Worker start(Semel semel, ExecHandler handler, boolean once) {
            Worker.Builder worker = semel.worker(
                            queues.iterator().next(), queues.stream().skip(1).toArray(String[]::new))
                    .concurrency(concurrency)
                    // Starting a program takes longer than a claim: nothing is gained by holding more than can run.
                    .prefetch(0)
                    .lease(lease)
                    .poll(once ? POLL_ONCE : POLL)
                    .closeGrace(grace);
            if (types.isEmpty()) {
                worker.handleAny(type("any"), handler);
            }
            types.forEach(name -> worker.handle(type(name), handler));
            return worker.start();
        }

        private TaskType<RawJson, RawJson> type(String name) {
            TaskType.Builder<RawJson, RawJson> type = TaskType.builder(name, RawJson.class, RawJson.class)
                    .retry(retry)
                    .notRetried(ExecHandler.FailedForGood.class);
            if (timeout != null) {
                type.timeout(timeout);
            }
            return type.build();
        }
    }
}
