package dev.semel.storetests.storm;

import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A handle on a store that another process has opened. Every call is sent to that process and executed there; many can be under way.
 * The process can be killed in the middle of them: then it is unknown whether they were done, and the next call starts another one.
 *
 * <p>Only calls whose arguments and answers are plain data can be made: no listening, no joining of transactions.
 */
public final class StoreProcess implements AutoCloseable {

    private static final String CLOCK = "SEMEL_STORM_CLOCK";

    private enum Kind {
        ANSWERED,
        UNAVAILABLE,
        FAILED
    }

    /** One life of the process. */
    private static final class Life {

        private final Process process;
        private final DataOutputStream out;
        private final Map<Long, CompletableFuture<@Nullable Object>> calls = new ConcurrentHashMap<>();
        private volatile boolean over;

        Life(Process process) {
            this.process = process;
            this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        }

        void read() {
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
                while (true) {
                    long number = in.readLong();
                    Kind kind = Kind.valueOf(in.readUTF());
                    Object value = ProcessWire.read(in);
                    CompletableFuture<@Nullable Object> call = calls.remove(number);
                    if (call != null) {
                        switch (kind) {
                            case ANSWERED -> call.complete(value);
                            case UNAVAILABLE -> call.completeExceptionally(new StoreUnavailable(String.valueOf(value)));
                            case FAILED -> call.completeExceptionally(new IllegalStateException(String.valueOf(value)));
                        }
                    }
                }
            } catch (IOException e) {
                over = true;
                calls.values().forEach(call -> call.completeExceptionally(killed()));
            } catch (RuntimeException e) {
                // Something else was written to its standard output. The storm must not wait for that.
                over = true;
                process.toHandle().destroyForcibly();
                calls.values().forEach(call -> call.completeExceptionally(e));
            }
        }

        static StoreUnavailable killed() {
            return new StoreUnavailable("the process was killed");
        }
    }

    private final List<String> command;
    private final Path clock;
    private final TaskStore store;
    private long numbers;
    private @Nullable Life life;

    /**
     * Makes a handle. The process is started by the first call.
     *
     * @param command starts it; its main method is to call {@link #serve}
     * @param clock the clock of its store too: a shared one
     */
    public StoreProcess(List<String> command, ManualClock clock) {
        this.command = List.copyOf(command);
        this.clock = Objects.requireNonNull(clock.file(), "another process needs a shared clock");
        this.store = (TaskStore) Proxy.newProxyInstance(
                TaskStore.class.getClassLoader(), new Class<?>[] {TaskStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        close();
                        return null;
                    }
                    if (method.getReturnType().equals(Optional.class) && method.getParameterCount() == 0) {
                        return Optional.empty(); // transactions of this process cannot be joined from another one
                    }
                    return method.getDeclaringClass().equals(Object.class)
                            ? method.invoke(this, arguments)
                            : call(method, arguments == null ? List.of() : Arrays.asList(arguments));
                });
    }

    /**
     * The store of the other process.
     *
     * @return a store that may be used like any other; closing it ends the process
     */
    public TaskStore store() {
        return store;
    }

    /** Kills the process, as {@code kill -9} does, in the middle of what it does. */
    public synchronized void kill() {
        Life last = life;
        if (last != null) {
            last.process.toHandle().destroyForcibly();
        }
    }

    /** Ends the process. */
    @Override
    public synchronized void close() {
        Life last = life;
        life = null;
        if (last != null) {
            last.process.toHandle().destroyForcibly();
            boolean interrupted = false;
            while (true) {
                try {
                    last.process.waitFor();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable Object call(Method method, List<Object> arguments) {
        CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
        send(method, arguments, answer);
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("interrupted while the other process was asked", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StoreUnavailable known
                    ? new StoreUnavailable(String.valueOf(known.getMessage()), known)
                    : new IllegalStateException(e.getCause());
        }
    }

    private synchronized void send(Method method, List<Object> arguments, CompletableFuture<@Nullable Object> answer) {
        Life now = life();
        long number = ++numbers;
        now.calls.put(number, answer);
        try {
            now.out.writeLong(number);
            now.out.writeUTF(method.getName());
            ProcessWire.write(now.out, arguments);
            now.out.flush();
        } catch (IOException e) {
            answer.completeExceptionally(Life.killed());
        }
        if (now.over) {
            answer.completeExceptionally(Life.killed());
        }
    }

    private Life life() {
        Life now = life;
        if (now != null && !now.over && now.process.isAlive()) {
            return now;
        }
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().put(CLOCK, clock.toString());
            Life next = new Life(builder.start());
            Thread.ofPlatform().daemon().name("storm-process").start(next::read);
            life = next;
            return next;
        } catch (IOException e) {
            throw new UncheckedIOException("The process of the storm does not start", e);
        }
    }

    /**
     * Makes the calls that arrive at the standard input, each on a thread of its own, and writes the answers to the standard
     * output, which must not be used before. Returns when the input ends, which is when the calling process has ended.
     *
     * @param open opens the store
     * @throws IOException if the streams fail
     */
    public static void serve(Function<ManualClock, TaskStore> open) throws IOException {
        // What libraries print must not get between the answers.
        OutputStream answers = System.out;
        System.setOut(System.err);
        ManualClock clock = ManualClock.shared(Path.of(System.getenv(CLOCK)));
        try (ExecutorService threads = Executors.newCachedThreadPool(
                        Thread.ofPlatform().daemon().factory());
                TaskStore store = open.apply(clock)) {
            serve(System.in, answers, store, threads);
        }
    }

    private static void serve(InputStream requests, OutputStream answers, TaskStore store, ExecutorService threads)
            throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(requests));
        while (true) {
            try {
                long number = in.readLong();
                String name = in.readUTF();
                Object arguments = ProcessWire.read(in);
                threads.execute(() -> answer(answers, number, store, name, (List<?>) arguments));
            } catch (EOFException e) {
                return;
            }
        }
    }

    private static void answer(
            OutputStream answers, long number, TaskStore store, String name, @Nullable List<?> arguments) {
        Kind kind = Kind.ANSWERED;
        Object value;
        try {
            value = invoke(store, name, arguments == null ? new Object[0] : arguments.toArray());
        } catch (StoreUnavailable e) {
            kind = Kind.UNAVAILABLE;
            value = e.getMessage();
        } catch (Throwable e) {
            kind = Kind.FAILED;
            value = Failures.text(e);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(number);
            out.writeUTF(kind.name());
            ProcessWire.write(out, value);
            synchronized (answers) {
                bytes.writeTo(answers);
                answers.flush();
            }
        } catch (IOException e) {
            Runtime.getRuntime().halt(1); // no process reads the answers any more
        }
    }

    private static @Nullable Object invoke(TaskStore store, String name, Object[] arguments) throws Throwable {
        for (Method method : TaskStore.class.getMethods()) {
            if (method.getName().equals(name)
                    && method.getParameterCount() == arguments.length
                    && fits(method, arguments)) {
                try {
                    return method.invoke(store, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }
        }
        throw new IllegalStateException("A store has no " + name);
    }

    private static boolean fits(Method method, Object[] arguments) {
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            // The only primitive parameters are int, and an argument is never null.
            if (!types[i].equals(int.class) && !types[i].isInstance(arguments[i])) {
                return false;
            }
        }
        return true;
    }
}
