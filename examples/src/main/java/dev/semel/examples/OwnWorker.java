package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The program of docs/how-to/own-worker.md: a process that does nothing but work off a queue. */
public final class OwnWorker {

    // snippet: type
    record Mail(String to, String subject) {}

    static final TaskType<Mail, String> SEND = TaskType.builder("send_mail", Mail.class, String.class)
            .queue("mail")
            .build();
    // end

    private OwnWorker() {}

    // snippet: main
    /**
     * Works off the queue until the process is terminated.
     *
     * @param arguments the SQLite file
     * @throws InterruptedException if somebody interrupts the main thread
     */
    public static void main(String[] arguments) throws InterruptedException {
        try (Semel semel = Semel.on(SqliteTaskStore.open(Path.of(arguments[0])))
                .shutdownGrace(Duration.ofSeconds(2))
                .build()) {
            Worker worker = semel.worker("mail")
                    .concurrency(4)
                    .handle(SEND, (context, mail) -> send(mail, context.token("mail")))
                    .start();
            System.out.println("working as " + worker.name());
            worker.awaitEnd();
        }
    }
    // end

    /** A stand-in for a mail server, which may take its time. */
    private static String send(Mail mail, String token) throws InterruptedException {
        System.out.println("sending " + mail.subject());
        if (mail.to().isEmpty()) {
            throw new IllegalArgumentException("A mail needs an address");
        }
        if (mail.subject().equals("slow")) {
            new CountDownLatch(1).await();
        }
        return "sent with token " + token;
    }
}
