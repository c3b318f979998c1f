package dev.semel.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Ends a process together with all that it has started. */
final class ProcessTree {

    // Time to put things in order, for programs that do so when asked to end.
    private static final Duration GRACE = Duration.ofSeconds(1);

    private ProcessTree() {}

    /** Asks the whole tree to end, and kills what does not. Does nothing if the process has ended. */
    static void kill(Process process) {
        if (!process.isAlive()) {
            return;
        }
        // Taken before anything ends: a child without its parent is no longer found. The root comes first: a shell
        // whose
        // child has ended goes on with its next line.
        List<ProcessHandle> tree = tree(process).toList();
        tree.forEach(ProcessHandle::destroy);
        boolean interrupted = !ended(tree);
        tree.stream().filter(ProcessHandle::isAlive).flatMap(ProcessTree::tree).forEach(ProcessHandle::destroyForcibly);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Stream<ProcessHandle> tree(Process process) {
        return tree(process.toHandle());
    }

    private static Stream<ProcessHandle> tree(ProcessHandle root) {
        return Stream.concat(Stream.of(root), root.descendants());
    }

    /** Waits a moment; false if that was interrupted. */
    private static boolean ended(List<ProcessHandle> tree) {
        try {
            CompletableFuture.allOf(tree.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                    .get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return true; // what is left is killed
        }
        return true;
    }
}
