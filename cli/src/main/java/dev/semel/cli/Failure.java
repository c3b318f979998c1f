package dev.semel.cli;

import dev.semel.task.IdempotencyConflict;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.Nearest;
import dev.semel.task.ResultGone;
import dev.semel.task.ResultNotReady;
import dev.semel.task.ScheduleNotFound;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskAlreadyCompleted;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.WorkflowNotFound;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns exceptions into a message, a JSON object and an exit code. */
final class Failure {

    private Failure() {}

    static int exitCode(Throwable thrown) {
        return switch (thrown) {
            case InvalidInput e -> ExitCode.BAD_INPUT;
            case ParameterException e -> ExitCode.BAD_INPUT;
            case IdempotencyConflict e -> ExitCode.CONFLICT;
            case TaskAlreadyExists e -> ExitCode.EXISTS;
            case TaskAlreadyCompleted e -> ExitCode.EXISTS;
            case TaskAlreadyFinished e -> ExitCode.EXISTS;
            case TaskNotFound e -> ExitCode.NOT_FOUND;
            case ScheduleNotFound e -> ExitCode.NOT_FOUND;
            case WorkflowNotFound e -> ExitCode.NOT_FOUND;
            case ResultGone e -> ExitCode.NOT_FOUND;
            case StoreUnavailable e -> ExitCode.STORE_UNAVAILABLE;
            case StoreUnusable e -> ExitCode.STORE_UNAVAILABLE;
            case Refusal e -> e.code();
            default -> ExitCode.FAILED;
        };
    }

    /** Adds an error to a JSON object; the names are those of the HTTP API. */
    static JsonText describe(JsonText json, Throwable thrown) {
        json.put("error", word(thrown)).put("message", message(thrown));
        switch (thrown) {
            case IdempotencyConflict e ->
                json.put("existing_task_id", e.existingTaskId().toString())
                        .put("status", e.status().word())
                        .put("existing_hash", e.existingHash().toString())
                        .put("request_hash", e.requestHash().toString())
                        .put("differing_paths", e.differingPaths());
            case TaskAlreadyExists e ->
                json.put("existing_task_id", e.existingTaskId().toString())
                        .put("status", e.status().word());
            case TaskAlreadyCompleted e ->
                json.put("existing_task_id", e.existingTaskId().toString())
                        .put("status", TaskState.COMPLETED.word())
                        .put("completed_at", e.completedAt())
                        .raw("result", e.result().orElse(null));
            case TaskAlreadyFinished e ->
                json.put("existing_task_id", e.existingTaskId().toString())
                        .put("status", e.status().word())
                        .put("finished_at", e.finishedAt());
            case TaskUnsuccessful e ->
                json.put("task_id", e.taskId().toString())
                        .put("status", e.status().word())
                        .put("last_error", e.lastError().orElse(null));
            case TaskNotFound e -> json.put("task_id", e.taskId().toString());
            case ScheduleNotFound e -> json.put("schedule", e.schedule());
            case WorkflowNotFound e -> json.put("workflow", e.id());
            case ResultGone e -> json.put("task_id", e.taskId().toString());
            case ResultNotReady e -> json.put("task_id", e.taskId().toString());
            case Refusal e -> e.describe(json);
            case UnmatchedArgumentException e ->
                json.put("suggestion", suggestion(e).orElse(null));
            default -> {
                // the message is enough
            }
        }
        return json;
    }

    /** Reports an error as JSON on standard output, or as text on standard error. */
    static int report(Throwable thrown, Console console, boolean json, boolean verbose) {
        if (json) {
            console.out().println(describe(new JsonText(), thrown));
        } else {
            console.err().println("semel: " + Text.printable(message(thrown)));
        }
        // An unexpected error cannot be fixed without its stack trace. With --json standard error is still for people,
        // so the trace may go there.
        if (verbose || !isExpected(thrown)) {
            StringWriter trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            console.err().print(Text.printable(Secrets.hidden(trace.toString())));
        }
        return exitCode(thrown);
    }

    private static boolean isExpected(Throwable thrown) {
        return thrown instanceof SemelException || thrown instanceof ParameterException || thrown instanceof Refusal;
    }

    private static String word(Throwable thrown) {
        if (thrown instanceof ParameterException) {
            return "WrongUsage";
        }
        if (thrown instanceof Refusal refusal) {
            return refusal.error();
        }
        return isExpected(thrown) ? thrown.getClass().getSimpleName() : "Unexpected";
    }

    private static String message(Throwable thrown) {
        return Secrets.hidden(wholeMessage(thrown));
    }

    private static String wholeMessage(Throwable thrown) {
        String message = thrown.getMessage();
        return switch (thrown) {
            case UnmatchedArgumentException e -> unmatched(e);
            case ParameterException e -> message + ". " + seeHelp(e);
            case Refusal e -> String.valueOf(message);
            case SemelException e -> message == null ? e.getClass().getSimpleName() : message;
            default -> "This is a bug in Semel. Please report it: " + thrown;
        };
    }

    private static String unmatched(UnmatchedArgumentException e) {
        String what = e.isUnknownOption()
                ? "option"
                : e.getCommandLine().getSubcommands().isEmpty() ? "argument" : "command";
        String argument = e.getUnmatched().getFirst();
        // The value of an option may be a secret, whatever the option.
        int value = e.isUnknownOption() ? argument.indexOf('=') : -1;
        String given = value < 0 ? argument : argument.substring(0, value);
        return "Unknown " + what + " \"" + Limits.shown(Secrets.hiddenInArgument(given)) + "\". "
                + suggestion(e).map(near -> "Did you mean \"" + near + "\"? ").orElse("")
                + seeHelp(e);
    }

    private static Optional<String> suggestion(UnmatchedArgumentException e) {
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        String given = e.getUnmatched().getFirst();
        int value = given.indexOf('=');
        return e.isUnknownOption()
                ? Nearest.to(
                        value < 0 ? given : given.substring(0, value),
                        spec.optionsMap().keySet())
                : Nearest.to(given, Options.visibleCommands(spec));
    }

    private static String seeHelp(ParameterException e) {
        return "\"" + e.getCommandLine().getCommandSpec().qualifiedName()
                + " --help\" lists the options and arguments.";
    }
}
