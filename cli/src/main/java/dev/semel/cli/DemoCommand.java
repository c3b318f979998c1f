package dev.semel.cli;

import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel demo}: shows Semel's promises with real processes that are killed and frozen. */
final class DemoCommand implements Command {

    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";
    private static final int WIDEST = 110;

    @Override
    public CommandSpec spec() {
        return Options.command(
                this,
                "Shows what Semel promises, with real processes that are killed and frozen.",
                "It needs no set-up and takes less than a minute. It works in a temporary directory or, with --store,"
                        + " in a separate schema of that PostgreSQL database or a separate prefix of that bucket, and removes it"
                        + " afterwards. Exit code 0 only if every promise held.",
                "semel demo",
                "semel demo --store postgresql://user@localhost/app",
                "semel demo --store 's3://bucket/prefix?region=eu-central-1'",
                "semel demo --json");
    }

    @Override
    public int run(Invocation invocation) {
        Console console = invocation.console();
        if (invocation.has(Options.SERVER)) {
            throw new InvalidInput("The demo kills programs that use its store, so it needs a store of its own and not"
                    + " a server, but got " + Options.SERVER + ". Leave the option out to use a temporary file.");
        }
        long began = System.nanoTime();
        CountDownLatch ended = new CountDownLatch(1);
        List<Demo.Observation> seen;
        try (TemporaryDirectory directory = TemporaryDirectory.in(null, "semel-demo-");
                DemoPlace place = DemoPlace.of(invocation.text(Options.STORE), directory.path());
                DemoProcess.Group processes = new DemoProcess.Group(directory.path(), place.secretUrl());
                ShutdownHook hook = new ShutdownHook(() -> cleanUp(directory, place, processes, ended))) {
            seen = new Demo(new DemoStage(place, processes, line -> {
                        if (!invocation.json()) {
                            console.out().println(line);
                        }
                    }))
                    .run();
            ended.countDown();
            if (processes.isClosed()) {
                return ExitCode.FAILED; // the user has ended the program
            }
        } catch (IOException e) {
            throw new StoreUnusable(
                    "The demo could not use its temporary directory: " + e.getMessage() + ". Free some space, or set"
                            + " -Djava.io.tmpdir in SEMEL_JAVA_OPTS.",
                    e);
        }
        boolean held = seen.stream().allMatch(Demo.Observation::ok);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("ok", held)
                            .put("milliseconds", took.toMillis())
                            .objects(
                                    "promises",
                                    seen.stream()
                                            .map(each -> new JsonText()
                                                    .put("promised", each.promised())
                                                    .put("seen", each.seen())
                                                    .put("ok", each.ok()))
                                            .toList()));
        } else {
            print(seen, held, took, console, console.hasColors());
        }
        return held ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static void print(
            List<Demo.Observation> seen, boolean held, Duration took, Console console, boolean colors) {
        console.out().println();
        Table table = new Table("PROMISED", "SEEN", "!OK");
        seen.forEach(each -> table.add(each.promised(), each.seen(), each.ok() ? "yes" : "NO"));
        table.printWrapped(console.out(), Math.min(console.width(), WIDEST));
        console.out().println();
        String verdict = held ? "All promises held" : "Not all promises held";
        console.out()
                .println((colors ? (held ? GREEN : RED) + verdict + PLAIN : verdict) + " (" + Text.span(took) + ").");
    }

    /** Cleans up at a signal: ends all processes, and waits a short time for the demo's own output. */
    private static void cleanUp(
            TemporaryDirectory directory, DemoPlace place, DemoProcess.Group processes, CountDownLatch ended) {
        processes.close();
        try {
            ended.await(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            place.close();
        } catch (StoreUnavailable e) {
            System.err.println("semel: " + e.getMessage());
        }
        try {
            directory.close();
        } catch (IOException e) {
            System.err.println("semel: \"" + directory.path() + "\" could not be removed: " + e.getMessage());
        }
    }
}
