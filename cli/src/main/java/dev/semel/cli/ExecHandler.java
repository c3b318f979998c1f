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
 * Runs any program as a handler: the input on its standard input, its standard output as the result, its standard error
 * as the error, and the exit codes of {@code sysexits.h} for "try again" and "no use to try again".
 *
 * <p>The pipes are served by platform threads. A read from a pipe holds the carrier of a virtual thread, and enough of them
 * at once would leave none for heartbeats.
 */
final class ExecHandler implements Handler<RawJson, RawJson>, AutoCloseable {

    private static final int RETRY = 75; // EX_TEMPFAIL
    private static final int PERMANENT = 65; // EX_DATAERR

    // 128 and the number of the signal, as shells and the JVM report it.
    private static final int BY_SIGNAL = 128;
    private static final Set<Integer> INTERRUPTED = Set.of(BY_SIGNAL + 2, BY_SIGNAL + 15);

    // A background process of the program's may keep its pipes open for ever.
    private static final Duration PIPES_GRACE = Duration.ofSeconds(2);

    // Ctrl-C reaches program and worker at the same time; the worker may learn of it a moment later.
    private static final Duration SIGNAL_GRACE = Duration.ofMillis(500);

    private final String command;
    private final ExecutorService pipes = Executors.newCachedThreadPool(
            work -> Thread.ofPlatform().daemon().name("semel-pipe").unstarted(work));
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closing = new CountDownLatch(1);

    ExecHandler(String command) {
        this.command = command;
    }

    /** The program failed; the stack would say nothing. */
    static final class Failed extends RuntimeException {
        Failed(String message) {
            super(message, null, false, false);
        }
    }

    /** The program said that no retry would help. */
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
            // Cancelled, lost, timed out or closing: an attempt that is over must not go on doing things.
            ProcessTree.kill(process);
            running.remove(process);
        }
    }

    private Process start(TaskContext context) {
        String key = context.key().orElse("");
        ProcessBuilder builder = new ProcessBuilder(ShellScript.run(command, key));
        Map<String, String> environment = builder.environment();
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
            throw new Failed(described(
                    "The command wrote more than " + Limits.DOCUMENT_BYTES
                            + " bytes to standard output, which is the most a result may have. Keep the large part"
                            + " elsewhere, and write where it is.",
                    tail));
        }
        if (INTERRUPTED.contains(code) && closing.await(SIGNAL_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw context.snooze(Duration.ZERO); // ended with the worker, through no fault of its own
        }
        return switch (code) {
            case 0 -> result(new String(bytes, StandardCharsets.UTF_8));
            case PERMANENT -> throw new FailedForGood(described(ending(code), tail));
            default -> throw new Failed(described(ending(code), tail));
        };
    }

    private static String ending(int code) {
        if (code == RETRY) {
            return "The command asked for a retry (exit code " + RETRY + ").";
        }
        return code > BY_SIGNAL && code < BY_SIGNAL + 65
                ? "The command was ended by signal " + (code - BY_SIGNAL) + " (exit code " + code + ")."
                : "The command failed (exit code " + code + ").";
    }

    /** Standard error first, because its first line is what listings show; as much of its end as is kept of an error. */
    private static String described(String what, String tail) {
        int room = Limits.ERROR_LENGTH - what.length() - 1;
        return tail.isEmpty() ? what : tail.substring(Math.max(0, tail.length() - room)) + "\n" + what;
    }

    /** Valid JSON is the result as it is; any other text is one as a JSON string; nothing is none. */
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
            // The program did not want to read all of it; whether that is a failure is for its exit code to say.
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

    /** Tells that the worker is about to end: programs that the same signal ends are put back. */
    void beginClose() {
        closing.countDown();
    }

    /** Ends what still runs. */
    @Override
    public void close() {
        beginClose();
        running.forEach(ProcessTree::kill);
        pipes.shutdownNow();
    }
}
