package dev.semel.cli;

import dev.semel.engine.Handler;
import dev.semel.engine.RawJson;
import dev.semel.engine.TaskContext;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A handler that runs any program: standard input carries the input, standard output the result, standard error the
 * error, and exit codes of {@code sysexits.h} mean "retry" and "permanent failure".
 *
 * <p>Platform threads serve the pipes. A read from a pipe pins the carrier of a virtual thread, and enough concurrent
 * reads would leave no carrier for heartbeats.
 */
final class ExecHandler implements Handler<RawJson, RawJson>, AutoCloseable {

    private static final int RETRY = 75; // EX_TEMPFAIL
    private static final int PERMANENT = 65; // EX_DATAERR

    // 128 plus the number of the signal, as shells and the JVM report it.
    private static final int BY_SIGNAL = 128;
    private static final Set<Integer> INTERRUPTED = Set.of(BY_SIGNAL + 2, BY_SIGNAL + 15);

    private static final int LONGEST_MESSAGE = 500;

    // A background process that the program started may keep its pipes open for ever.
    private static final Duration PIPES_GRACE = Duration.ofSeconds(2);

    // Ctrl-C reaches program and worker at the same time; the worker may notice it a moment later.
    private static final Duration SIGNAL_GRACE = Duration.ofMillis(500);

    private final String command;
    private final boolean storeShared;
    private final ExecutorService pipes = Executors.newCachedThreadPool(
            work -> Thread.ofPlatform().daemon().name("semel-pipe").unstarted(work));
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Creates a handler.
     *
     * @param storeShared whether the programs get the URL of the store, which may contain a password
     */
    ExecHandler(String command, boolean storeShared) {
        this.command = command;
        this.storeShared = storeShared;
    }

    /** The program failed. Without a stack trace, which would not help. */
    static final class Failed extends RuntimeException {
        Failed(String message) {
            super(message, null, false, false);
        }
    }

    /** The program reported a permanent failure. */
    static final class FailedForGood extends RuntimeException {
        FailedForGood(String message) {
            super(message, null, false, false);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // a program that writes nothing has no result, and the engine stores none for null
    public RawJson handle(TaskContext context, RawJson input) throws Exception {
        Process process = start(context);
        running.add(process);
        try {
            return finish(context, input, process);
        } finally {
            // Cancelled, lost, timed out or closing: the program of an attempt that is over must not continue.
            ProcessTree.kill(process);
            running.remove(process);
        }
    }

    private Process start(TaskContext context) {
        String key = context.key().orElse("");
        ProcessBuilder builder = new ProcessBuilder(ShellScript.run(command, key));
        Map<String, String> environment = builder.environment();
        if (!storeShared) {
            environment.remove(Invocation.STORE_VARIABLE);
            environment.remove(Invocation.SERVER_VARIABLE);
            environment.remove(Invocation.TOKEN_VARIABLE);
        }
        environment.put("SEMEL_TASK_ID", context.taskId().toString());
        environment.put("SEMEL_KEY", key);
        environment.put("SEMEL_ATTEMPT", Integer.toString(context.attempt()));
        environment.put("SEMEL_RUN", Integer.toString(context.run()));
        environment.put("SEMEL_TOKEN", context.token("exec"));
        environment.put("SEMEL_TYPE", context.type());
        environment.put("SEMEL_QUEUE", context.queue());
        environment.put("SEMEL_TENANT", context.tenant());
        try {
            return builder.start();
        } catch (IOException e) {
            throw new Failed("The command could not be started: " + e.getMessage());
        }
    }

    private @Nullable RawJson finish(TaskContext context, RawJson input, Process process) throws Exception {
        Future<?> written = pipes.submit(() -> write(process.getOutputStream(), input.text()));
        Future<byte[]> output = pipes.submit(() -> outputOf(process));
        Future<String> error = pipes.submit((Callable<String>) () -> Tail.of(process.getErrorStream()));
        int code = process.onExit().get().exitValue();
        byte[] bytes = await(output, new byte[0]);
        String tail = await(error, "").strip();
        written.cancel(true);
        if (bytes.length > Limits.DOCUMENT_BYTES) {
            throw new Failed(above(
                    "The command wrote more than " + Limits.DOCUMENT_BYTES + " bytes to standard output, which is the"
                            + " maximum size of a result. Store large data elsewhere, and write a reference to it.",
                    tail));
        }
        if (INTERRUPTED.contains(code) && closing.await(SIGNAL_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw context.snooze(Duration.ZERO); // ended by the signal that ends the worker, so this is not a failure
        }
        return switch (code) {
            case 0 -> result(new String(bytes, StandardCharsets.UTF_8));
            case PERMANENT -> throw new FailedForGood(described(code, tail));
            default -> throw new Failed(described(code, tail));
        };
    }

    private static String ending(int code) {
        if (code == RETRY) {
            return "The command asked for a retry (exit code " + RETRY + ").";
        }
        return isSignal(code)
                ? "The command was ended by signal " + (code - BY_SIGNAL) + " (exit code " + code + ")."
                : "The command failed (exit code " + code + ").";
    }

    /**
     * Describes a failure, with what helps most in the first line, because listings show only that: the last line of
     * standard error, where a traceback has its message, and the exit code.
     */
    private static String described(int code, String tail) {
        List<String> lines =
                tail.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        if (lines.isEmpty()) {
            return ending(code);
        }
        String last = Text.cut(lines.getLast(), LONGEST_MESSAGE);
        String how = code == RETRY ? ": retry" : isSignal(code) ? ", signal " + (code - BY_SIGNAL) : "";
        String message = last + " (exit code " + code + how + ")";
        return lines.size() == 1 && last.equals(lines.getLast()) ? message : above(message, tail);
    }

    /** Puts a message above standard error, of which it keeps as much of the end as an error may have. */
    private static String above(String message, String tail) {
        int room = Limits.ERROR_LENGTH - message.length() - 1;
        return tail.isEmpty() ? message : message + "\n" + tail.substring(Math.max(0, tail.length() - room));
    }

    private static boolean isSignal(int code) {
        return code > BY_SIGNAL && code < BY_SIGNAL + 65;
    }

    /** Returns valid JSON as it is, any other text as a JSON string, and null for no output. */
    private static @Nullable RawJson result(String output) {
        String text = output.strip();
        if (text.isEmpty()) {
            return null;
        }
        try {
            Json.parse(text);
            return new RawJson(text);
        } catch (InvalidInput e) {
            return new RawJson(JsonText.quoted(text));
        }
    }

    private static byte[] outputOf(Process process) throws IOException {
        try (InputStream out = process.getInputStream()) {
            byte[] bytes = out.readNBytes(Limits.DOCUMENT_BYTES + 1);
            if (bytes.length > Limits.DOCUMENT_BYTES) {
                ProcessTree.kill(process);
            }
            return bytes;
        }
    }

    private static void write(OutputStream in, String input) {
        try (in) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The program did not read all of its input; its exit code decides whether that is a failure.
            return;
        }
    }

    private static <T> T await(Future<T> pipe, T otherwise) throws InterruptedException {
        try {
            return pipe.get(PIPES_GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            pipe.cancel(true);
            return otherwise;
        }
    }

    /** Announces that the worker is closing: tasks whose programs the same signal ends are returned to the queue. */
    void beginClose() {
        closing.countDown();
    }

    /** Ends the programs that still run. */
    @Override
    public void close() {
        beginClose();
        running.forEach(ProcessTree::kill);
        pipes.shutdownNow();
    }
}
