package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.engine.Worker;
import dev.semel.engine.WorkerOptions;
import dev.semel.engine.WorkerSettings;
import dev.semel.store.TaskStore;
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

    private static final String SHARE_STORE = "--share-store";
    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);
    private static final Duration USUAL_GRACE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofSeconds(1);

    // With --once the end of the work is noticed at the next poll.
    private static final Duration POLL_ONCE = Duration.ofMillis(100);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(
                this,
                "Runs a program of yours as the handler of tasks.",
                "The program gets the input on its standard input and writes the result to its standard output."
                        + " SEMEL_TASK_ID, SEMEL_KEY, SEMEL_ATTEMPT, SEMEL_RUN, SEMEL_TOKEN, SEMEL_TYPE, SEMEL_QUEUE and"
                        + " SEMEL_TENANT are in its environment. Its exit code: 0 done, 75 retry, 65 permanent failure,"
                        + " any other failure is retried by policy. Its standard error is stored as the error.",
                "semel worker payments --exec './charge.sh'",
                "semel worker mail reports --exec 'python3 handle.py' --type send --concurrency 8 --timeout 5m",
                "semel worker payments --exec ./charge.sh --once --json");
        return spec.addPositional(Options.positions("QUEUE", "The queues to take tasks from."))
                .addOption(Options.required("--exec", "COMMAND", "The command to run for each task, with \"sh -c\"."))
                .addOption(Options.repeated(
                        "--type", "TYPE", "Take only tasks of this type. May be repeated. Default:" + " any type."))
                .addOption(Options.value(
                        "--concurrency",
                        "N",
                        "How many tasks to run at the same time. Default: the" + " number of processors."))
                .addOption(Options.value(
                        "--lease",
                        "DURATION",
                        "A worker without a heartbeat for this long loses its task. Default:" + " 30s."))
                .addOption(Options.value("--timeout", "DURATION", "How long one attempt may run. Default: no limit."))
                .addOption(Options.value("--max-attempts", "N", "How many attempts may fail. Default: 5."))
                .addOption(Options.value(
                        "--grace",
                        "DURATION",
                        "How long to wait for running programs after SIGTERM. Ctrl-C at a terminal reaches the"
                                + " programs as well, and a task whose program it ends returns to the queue. Default:"
                                + " 30s."))
                .addOption(Options.flag(
                        SHARE_STORE,
                        "Leave SEMEL_STORE, SEMEL_SERVER and SEMEL_TOKEN in the environment of the program, for a"
                                + " program that calls semel itself. They may contain secrets, so they are removed"
                                + " otherwise."))
                .addOption(Options.flag(
                        "--once",
                        "Exit when nothing is due. Tasks that wait for a retry or for their start time are left for"
                                + " later."));
    }

    @Override
    public int run(Invocation invocation) {
        Arguments arguments = Arguments.read(invocation);
        Console console = invocation.console();
        boolean once = invocation.has("--once");
        WorkLog log = new WorkLog(console, invocation.json());
        StoreUrl url = invocation.store();
        CountDownLatch closed = new CountDownLatch(1);
        TaskStore store = url.open();
        try (ExecHandler handler = new ExecHandler(arguments.command(), invocation.has(SHARE_STORE));
                Semel semel = invocation.semel(new ObservedStore(store, log));
                ShutdownHook hook = new ShutdownHook(() -> close(handler, semel, closed))) {
            reportMissingQueues(invocation, store, arguments.queues());
            arguments.start(semel, handler, once);
            if (!invocation.json() && !once) {
                console.err()
                        .println("Working on " + String.join(", ", arguments.queues()) + " in " + url + ", up to "
                                + arguments.concurrency() + " at the same time. Ctrl-C stops the worker. The"
                                + " programs it runs get the Ctrl-C too: a task whose program it ends returns to the"
                                + " queue.");
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

    /** Says which queues are probably misspelled. They are worked on nevertheless: a queue exists as soon as a task names it. */
    private static void reportMissingQueues(Invocation invocation, TaskStore store, Set<String> queues) {
        if (!invocation.json()) {
            queues.forEach(queue -> QueueLookup.missing(invocation, store, queue)
                    .ifPresent(what ->
                            invocation.console().err().println(what + " The worker waits for its first task.")));
        }
    }

    /**
     * Closes the worker at a signal: claims no more tasks, waits for the running ones, and returns the rest to the
     * queue.
     */
    private static void close(ExecHandler handler, Semel semel, CountDownLatch closed) {
        handler.beginClose();
        semel.close();
        handler.close();
        closed.countDown();
    }

    /** The checked arguments of the command. */
    private record Arguments(
            Set<String> queues,
            String command,
            List<String> types,
            int concurrency,
            Duration lease,
            @Nullable Duration timeout,
            RetryPolicy retry,
            Duration grace) {

        static Arguments read(Invocation invocation) {
            invocation.refuseTenant(
                    "A worker takes the tasks of all tenants in its queues; separate queues keep tenants apart");
            Set<String> queues = new LinkedHashSet<>();
            invocation.positions().forEach(queue -> queues.add(Limits.name("queue", queue)));
            String command = invocation.text("--exec", "");
            if (command.isBlank()) {
                throw new InvalidInput(
                        "Option --exec takes a command, but got \"\". Give, for example, './charge.sh'.");
            }
            WorkerOptions configured =
                    invocation.settings().worker(queues.iterator().next());
            Duration timeout = invocation.duration("--timeout");
            Integer attempts = invocation.number("--max-attempts");
            Arguments arguments = new Arguments(
                    queues,
                    command,
                    invocation.texts("--type").stream()
                            .map(type -> Limits.name("task type", type))
                            .distinct()
                            .toList(),
                    invocation.number(
                            "--concurrency",
                            orElse(
                                    configured.concurrency(),
                                    Runtime.getRuntime().availableProcessors())),
                    invocation.duration("--lease", orElse(configured.lease(), USUAL_LEASE)),
                    timeout == null ? null : Limits.positive("timeout", timeout),
                    attempts == null ? RetryPolicy.standard() : RetryPolicy.attempts(attempts),
                    invocation.duration("--grace", orElse(configured.closeGrace(), USUAL_GRACE)));
            // Checks the settings before the store is opened, and not when the worker starts.
            new WorkerSettings(
                    "check", queues, arguments.concurrency, 0, arguments.lease, POLL, 1, WorkerSettings.FEWEST_BYTES);
            return arguments;
        }

        private static <T> T orElse(@Nullable T configured, T usual) {
            return configured != null ? configured : usual;
        }

        Worker start(Semel semel, ExecHandler handler, boolean once) {
            Worker.Builder worker = semel.worker(
                            queues.iterator().next(), queues.stream().skip(1).toArray(String[]::new))
                    .concurrency(concurrency)
                    // Starting a program takes longer than a claim, so holding more tasks than can run gains nothing.
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
                    .queue(queues.iterator().next())
                    .retry(retry)
                    .nonRetryable(ExecHandler.FailedForGood.class);
            if (timeout != null) {
                type.timeout(timeout);
            }
            return type.build();
        }
    }
}
