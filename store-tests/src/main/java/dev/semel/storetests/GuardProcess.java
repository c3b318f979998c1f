package dev.semel.storetests;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.guard.OutcomeNotRecorded;
import dev.semel.guard.WhenBusy;
import dev.semel.storetests.GuardProcessContract.Opener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Another process that makes guarded calls on a store; killed when closed. What it prints is what tests wait for. */
final class GuardProcess implements AutoCloseable {

    private final Process process;
    private final ProcessLines out;

    private GuardProcess(Process process) {
        this.process = process;
        this.out = new ProcessLines(process);
    }

    static GuardProcess start(Class<? extends Opener> opener, String address, Duration lease, String what) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                GuardProcess.class.getName(),
                opener.getName(),
                address,
                Long.toString(lease.toMillis()),
                what);
        try {
            return new GuardProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    String line() {
        return out.next();
    }

    void expect(String expected) {
        String line = line();
        if (!expected.equals(line)) {
            throw new AssertionError(
                    "Expected the other process to print \"" + expected + "\", but it printed \"" + line + "\"");
        }
    }

    List<String> rest() {
        List<String> lines = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            lines.add(line);
        }
        return lines;
    }

    void say(String word) {
        try {
            process.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as kill -9 does, and waits until it is dead. */
    void kill() {
        process.toHandle().destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops it where it is, or lets it continue. */
    void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill -" + name + " ended with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        kill();
    }

    /**
     * The other process.
     *
     * @param arguments the class that opens the store, where it is, the lease in milliseconds, and {@code many} or
     *     {@code one}
     * @throws Exception if something went wrong
     */
    public static void main(String[] arguments) throws Exception {
        Opener opener = Class.forName(arguments[0])
                .asSubclass(Opener.class)
                .getDeclaredConstructor()
                .newInstance();
        try (GuardStore store = opener.open(arguments[1]);
                Guard guard = Guard.on(store)
                        .lease(Duration.ofMillis(Long.parseLong(arguments[2])))
                        .whenBusy(WhenBusy.WAIT)
                        .remember(0)
                        .build();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("ready");
            in.readLine();
            if (arguments[3].equals("many")) {
                many(guard);
            } else {
                one(guard, in);
            }
        }
    }

    /** Calls under many keys from many threads, and prints which effects ran here and which results were returned. */
    private static void many(Guard guard) throws InterruptedException {
        long pid = ProcessHandle.current().pid();
        CountDownLatch done = new CountDownLatch(GuardProcessContract.THREADS);
        for (int thread = 0; thread < GuardProcessContract.THREADS; thread++) {
            Thread.ofPlatform().start(() -> {
                for (int key = 0; key < GuardProcessContract.KEYS; key++) {
                    String name = "key-" + key;
                    String result = guard.once(name, String.class, token -> {
                        System.out.println("effect " + name);
                        return name + " by " + pid;
                    });
                    System.out.println("result " + result);
                }
                done.countDown();
            });
        }
        if (!done.await(60, TimeUnit.SECONDS)) {
            System.out.println("stuck");
        }
    }

    /** Enters one key and stays there until it gets a line. */
    private static void one(Guard guard, BufferedReader in) throws IOException {
        try {
            String result = guard.once("one", String.class, token -> {
                System.out.println("in the effect");
                in.readLine();
                return "late";
            });
            System.out.println("recorded " + result);
        } catch (OutcomeNotRecorded e) {
            System.out.println("not recorded " + e.result());
        }
    }
}
