package dev.semel.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Ends a process together with all its descendants. */
final class ProcessTree {

    // Time for programs that clean up when they are asked to end.
    private static final Duration GRACE = Duration.ofSeconds(1);

    private ProcessTree() {}

    /** Asks the whole tree to end, and kills the processes that do not. Does nothing if the process has ended. */
    static void kill(Process process) {
        if (!process.isAlive()) {
            return;
        }
        // Listed before any process ends, because a child without its parent cannot be found. The root is first: a
        // shell whose child has ended would continue with its next line.
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

    /** Waits for the grace period; returns false if that was interrupted. */
    private static boolean ended(List<ProcessHandle> tree) {
        try {
            CompletableFuture.allOf(tree.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                    .get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return true; // the caller kills the rest
        }
        return true;
    }
}
