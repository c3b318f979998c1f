package dev.semel.testkit;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewLine;
import dev.semel.store.Settlement;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskState;
import dev.semel.workflow.NonDeterministic;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A check that the code of a workflow still fits a history that older code made. Export the history of a real workflow and keep it
 * with your tests:
 *
 * <pre>{@code
 * semel workflow history process_order order-456 --json > src/test/resources/order-456.json
 *
 * WorkflowReplay.read(Path.of("src/test/resources/order-456.json")).check(PROCESS, OrderWorkflow::process);
 * }</pre>
 *
 * <p>The code runs once against the history. Nothing else runs: no step, no local step, no store. Code that needs more than the history
 * has stops there.
 */
public final class WorkflowReplay {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ExportedWorkflow exported;

    private WorkflowReplay(ExportedWorkflow exported) {
        this.exported = exported;
    }

    /** Where the code came to at the end of the history. */
    public enum End {
        /** It returned a result. */
        COMPLETED,
        /** It waits for something that has not happened yet. */
        WAITS,
        /** It goes on beyond the history: it would start a step, or record something. */
        CONTINUES,
        /** It was cancelled. */
        CANCELLED,
        /** It threw an exception. */
        FAILED
    }

    /**
     * The result of a replay that fits.
     *
     * @param end where the code came to
     * @param lines how many lines of the history it came past
     * @param result the result of the code in JSON, or null
     * @param error why it failed, or null
     */
    public record Report(
            End end,
            int lines,
            @Nullable String result,
            @Nullable String error) {}

    /**
     * Reads an exported history.
     *
     * @param json the output of {@code semel workflow history TYPE ID --json}
     * @return the replay
     * @throws InvalidInput if it is no such history, or its input is no longer stored
     */
    public static WorkflowReplay of(String json) {
        return new WorkflowReplay(ExportedWorkflow.parse(Limits.notNull("history", json)));
    }

    /**
     * Reads an exported history from a file.
     *
     * @param file the output of {@code semel workflow history TYPE ID --json}
     * @return the replay
     * @throws InvalidInput if it is no such history, or its input is no longer stored
     * @throws UncheckedIOException if the file cannot be read
     */
    public static WorkflowReplay read(Path file) {
        try {
            return of(Files.readString(Limits.notNull("file", file)));
        } catch (IOException e) {
            throw new UncheckedIOException("The history \"" + file + "\" cannot be read", e);
        }
    }

    /**
     * Runs the code against the history.
     *
     * @param type the workflow type
     * @param code the code of today
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return where the code came to
     * @throws NonDeterministic if the code does not fit the history; it names the line, what the history has, what the code asked
     *     for, and where in the code
     * @throws InvalidInput if the history is one of another type
     */
    public <I, O extends @Nullable Object> Report check(WorkflowType<I, O> type, WorkflowHandler<I, O> code) {
        Limits.notNull("code", code);
        if (!Limits.notNull("workflow type", type).name().equals(exported.task().type())) {
            throw new InvalidInput("Expected a history of workflow type \"" + type.name() + "\", but got one of \""
                    + exported.task().type() + "\".");
        }
        AtomicInteger position = new AtomicInteger();
        Settlement stopped = run(type, (flow, input) -> {
            try {
                return code.run(flow, input);
            } finally {
                position.set(flow.position());
            }
        });
        Report report = report(stopped, position.get());
        boolean completed = exported.task().state() == TaskState.COMPLETED;
        if (completed && report.end() != End.COMPLETED) {
            throw new NonDeterministic(
                    "The code of workflow \"" + type.name() + "\" does not fit its history after line "
                            + lines().size()
                            + ": the history ends there with the completion of the workflow, but the code "
                            + goesOn(stopped, report) + ".",
                    lines().size() + 1,
                    null);
        }
        return report;
    }

    private List<HistoryLine> lines() {
        return exported.history().lines();
    }

    private <I, O extends @Nullable Object> Settlement run(WorkflowType<I, O> type, WorkflowHandler<I, O> code) {
        ReplayStore store = new ReplayStore(exported);
        try (Semel semel = Semel.on(store)
                .withoutShutdownHook()
                .schedulerInterval(Duration.ZERO)
                .build()) {
            Worker unused = semel.worker(exported.task().queue())
                    .closeGrace(GRACE)
                    .workflow(type, code)
                    .start();
            return store.stopped().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "The code did not come to the end of the history within " + PATIENCE.toSeconds()
                            + " s. Look for what it waits for past its Flow.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The thread was interrupted during a replay", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("The replay failed", e.getCause());
        }
    }

    private Report report(Settlement stopped, int position) {
        return switch (stopped) {
            case Settlement.Complete complete -> new Report(End.COMPLETED, position, complete.result(), null);
            case Settlement.Wait wait -> {
                if (wait.error() != null) {
                    throw new NonDeterministic(wait.error(), position + 1, lines().get(position));
                }
                yield new Report(End.WAITS, position, null, null);
            }
            case Settlement.Cancelled cancelled -> new Report(End.CANCELLED, position, null, null);
            case Settlement.Retry retry -> new Report(End.FAILED, position, null, retry.error());
            case Settlement.Fail fail -> new Report(End.FAILED, position, null, fail.error());
            default -> new Report(End.CONTINUES, lines().size(), null, null);
        };
    }

    private static String goesOn(Settlement stopped, Report report) {
        return switch (stopped) {
            case Settlement.Advance advance -> {
                NewLine first = advance.lines().getFirst();
                yield "asked for " + first.kind().word() + " \"" + first.name() + "\"";
            }
            case Settlement.Intend intend ->
                "asked for local step \"" + intend.effect().label() + "\"";
            case Settlement.Wait wait -> "waits";
            case Settlement.Continue next -> "continues as new";
            default -> report.error() == null ? "was cancelled" : "failed: " + report.error();
        };
    }
}
