package dev.semel.examples;

import dev.semel.Operations.QueueView;
import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The program of docs/how-to/limit-a-queue.md. */
public final class LimitAQueue {

    record Mail(String to) {}

    record Transfer(String account, long cents) {}

    static final TaskType<Mail, String> SEND = TaskType.builder("send_mail", Mail.class, String.class)
            .queue("mails")
            .build();

    static final TaskType<Mail, String> EXPORT = TaskType.builder("export_mail", Mail.class, String.class)
            .queue("exports")
            .build();

    // snippet: mutex
    static final TaskType<Transfer, Long> TRANSFER = TaskType.builder("transfer", Transfer.class, Long.class)
            .queue("transfers")
            .mutex(Transfer::account)
            .build();
    // end

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private LimitAQueue() {}

    /**
     * Runs the program in memory.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        run(System.out);
    }

    static void run(PrintStream out) {
        rate(out);
        concurrency(out);
        pause(out);
        mutex(out);
    }

    // snippet: declare
    static Semel open(TaskStore store) {
        return Semel.on(store)
                .queue("mails", QueueSettings.builder().rateLimit("100/sec").build())
                .queue("exports", QueueSettings.builder().concurrency(2).build())
                .build();
    }
    // end

    private static void rate(PrintStream out) {
        // A clock that is moved by hand, so that the program prints the same on every machine.
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        InMemoryTaskStore store = new InMemoryTaskStore(now::get);
        try (Semel semel = open(store)) {
            semel.worker("mails")
                    .handle(SEND, (context, mail) -> "sent to " + mail.to())
                    .concurrency(64)
                    .start();
            List<Submission<String>> mails = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                mails.add(semel.submit(SEND, new Mail("customer-" + i)).send());
            }
            mails.subList(0, 10).forEach(mail -> mail.result(PATIENCE));
            out.println("at once: 10 of 30, " + queue(semel, "mails").depth().due() + " are due and held back");
            now.updateAndGet(time -> time.plusSeconds(1));
            mails.subList(10, 20).forEach(mail -> mail.result(PATIENCE));
            out.println("after a second of rest: 10 more, "
                    + queue(semel, "mails").depth().due() + " are held back");
            now.updateAndGet(time -> time.plusMillis(10));
            mails.get(20).result(PATIENCE);
            out.println("a hundredth of a second later: 1 more");

            // snippet: change
            semel.operations()
                    .set("mails", QueueSettings.builder().rateLimit("none").build());
            // end
            mails.forEach(mail -> mail.result(PATIENCE));
            // snippet: reset
            semel.operations().reset("mails");
            out.println("limited again: "
                    + queue(semel, "mails").setUp().effective().isLimited());
            // end
        }
    }

    // snippet: look
    static QueueView queue(Semel semel, String name) {
        return semel.operations().queues().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
    // end

    private static void concurrency(PrintStream out) {
        try (Semel semel = open(new InMemoryTaskStore())) {
            AtomicInteger running = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            CyclicBarrier pair = new CyclicBarrier(2); // each waits until another one runs at the same time
            for (int i = 0; i < 2; i++) {
                semel.worker("exports")
                        .handle(EXPORT, (context, mail) -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            pair.await();
                            running.decrementAndGet();
                            return mail.to();
                        })
                        .start();
            }
            List<Submission<String>> exports = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                exports.add(semel.submit(EXPORT, new Mail("customer-" + i)).send());
            }
            exports.forEach(export -> export.result(PATIENCE));
            out.println("of two workers together at most " + most + " ran at once");
        }
    }

    private static void pause(PrintStream out) {
        try (Semel semel = open(new InMemoryTaskStore())) {
            semel.worker("mails", "exports")
                    .handle(SEND, (context, mail) -> "sent to " + mail.to())
                    .handle(EXPORT, (context, mail) -> "exported for " + mail.to())
                    .start();
            // snippet: pause
            semel.operations().pause("mails");
            Submission<String> mail =
                    semel.submit(SEND, new Mail("ada@example.org")).send();
            Submission<String> export =
                    semel.submit(EXPORT, new Mail("ada@example.org")).send();
            out.println(export.result(PATIENCE));
            out.println("mails that are due: " + queue(semel, "mails").depth().due());
            semel.operations().resume("mails");
            out.println(mail.result(PATIENCE));
            // end
        }
    }

    private static void mutex(PrintStream out) {
        // Reads and writes in two steps. Nothing is lost, because transfers of one account never run at the same time.
        Map<String, Long> balances = new ConcurrentHashMap<>();
        try (Semel semel = open(new InMemoryTaskStore())) {
            // snippet: transfers
            semel.worker("transfers")
                    .handle(TRANSFER, (context, transfer) -> {
                        long before = balances.getOrDefault(transfer.account(), 0L);
                        balances.put(transfer.account(), before + transfer.cents());
                        return before;
                    })
                    .start();
            List<Submission<Long>> transfers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                transfers.add(semel.submit(TRANSFER, new Transfer("A", 1)).send());
                transfers.add(semel.submit(TRANSFER, new Transfer("B", 2)).send());
            }
            transfers.forEach(transfer -> transfer.result(PATIENCE));
            out.println("A has " + balances.get("A") + ", B has " + balances.get("B"));
            // end
        }
    }
}
