package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.examples.OrderWorkflow.Order;
import dev.semel.examples.OrderWorkflow.Receipt;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.workflow.WorkflowHandler;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The program of docs/how-to/change-a-workflow.md: an order that runs through a deployment of new code, and one that begins after it. */
public final class ChangeAWorkflow {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private ChangeAWorkflow() {}

    private static Worker worker(Semel semel, WorkflowHandler<Order, String> code, BlockingQueue<String> log) {
        return semel.worker("default")
                .workflow(OrderWorkflow.PROCESS, code)
                .handle(OrderWorkflow.CHARGE, (context, order) -> new Receipt("receipt for " + order.id()))
                .handle(OrderWorkflow.CHECK_FRAUD, (context, order) -> {
                    log.add("checked " + order.id());
                    return "honest";
                })
                .handle(OrderWorkflow.RESERVE, (context, order) -> "reserved")
                .handle(OrderWorkflow.PACK, (context, order) -> {
                    log.add("packed " + order.id());
                    return "packed";
                })
                .handle(OrderWorkflow.REFUND, (context, receipt) -> {
                    log.add("refunded " + receipt.id());
                    return "refunded";
                })
                .start();
    }

    static void run(Path file, PrintStream out) throws InterruptedException {
        BlockingQueue<String> log = new LinkedBlockingQueue<>();
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            try (Worker old = worker(semel, OrderWorkflow::processBefore, log)) {
                semel.start(OrderWorkflow.PROCESS, "order-1", new Order("1", 9900));
                out.println(log.take()); // so the order is past the place that changes
            }
            // snippet: outdated
            out.println(semel.workflows()
                    .outdated(OrderWorkflow.PROCESS, "fraud-check", 1, 100)
                    .size());
            // end
            try (Worker changed = worker(semel, OrderWorkflow::process, log)) {
                semel.start(OrderWorkflow.PROCESS, "order-2", new Order("2", 500));
                semel.workflows().signal(OrderWorkflow.PROCESS, "order-1", "approved", true);
                semel.workflows().signal(OrderWorkflow.PROCESS, "order-2", "approved", true);
                out.println(semel.workflows()
                        .handle(OrderWorkflow.PROCESS, "order-1")
                        .result(PATIENCE));
                out.println(semel.workflows()
                        .handle(OrderWorkflow.PROCESS, "order-2")
                        .result(PATIENCE));
            }
            log.forEach(out::println);
        }
    }
}
