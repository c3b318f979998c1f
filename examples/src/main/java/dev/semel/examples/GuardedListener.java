package dev.semel.examples;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.guard.GuardedFunction;
import dev.semel.guard.InProgress;
import dev.semel.guard.KeyExtractor;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.StoreUnavailable;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** A message listener in docs/how-to/guard.md: the broker delivers at least once, the effect happens once. */
public final class GuardedListener {

    /** The answer to the broker about a message. */
    enum Answer {
        ACKNOWLEDGE,
        DELIVER_AGAIN,
        DEAD_LETTER
    }

    private final GuardedFunction<String, String, RuntimeException> mailing;
    private int mails;

    GuardedListener(Guard guard) {
        // snippet: listener
        KeyExtractor<String> key = KeyExtractor.<Json>fields("/messageId").from(Json::parse);
        mailing = guard.wrap(key, String.class, (message, token) -> "mail " + ++mails);
        // end
    }

    // snippet: answers
    Answer onMessage(String message) {
        try {
            mailing.apply(message);
            return Answer.ACKNOWLEDGE; // done now or earlier
        } catch (InvalidInput e) {
            return Answer.DEAD_LETTER; // no key in the message: a retry would not help
        } catch (InProgress | StoreUnavailable e) {
            return Answer.DELIVER_AGAIN; // another listener is handling it, or the store is down
        }
    }
    // end

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code listener.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "listener.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        try (GuardStore store = SqliteGuardStore.open(file);
                Guard guard = Guard.on(store).type("welcome_mail").build()) {
            GuardedListener listener = new GuardedListener(guard);
            // The broker loses an acknowledgement, so a message is delivered twice; the last message is malformed.
            Queue<String> broker = new ArrayDeque<>(List.of(
                    "{\"messageId\":\"m-1\"}", "{\"messageId\":\"m-2\"}", "{\"messageId\":\"m-1\"}", "{broken"));
            for (String message = broker.poll(); message != null; message = broker.poll()) {
                out.println(listener.onMessage(message));
            }
            out.println("mails: " + listener.mails);
        }
    }
}
