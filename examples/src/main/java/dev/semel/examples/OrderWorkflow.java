package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.Flow;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/** The program of docs/how-to/workflows.md. */
public final class OrderWorkflow {

    record Order(String id, int cents) {}

    record Receipt(String id) {}

    // snippet: types
    static final TaskType<Order, Receipt> CHARGE = TaskType.of("charge_order", Order.class, Receipt.class);
    static final TaskType<Order, String> RESERVE = TaskType.of("reserve_order", Order.class, String.class);
    static final TaskType<Order, String> PACK = TaskType.of("pack_order", Order.class, String.class);
    static final TaskType<Order, String> CHECK_FRAUD = TaskType.of("check_fraud", Order.class, String.class);
    static final TaskType<Receipt, String> REFUND = TaskType.of("refund_order", Receipt.class, String.class);
    static final WorkflowType<Order, String> PROCESS = WorkflowType.of("process_order", Order.class, String.class);
    // end

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private OrderWorkflow() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code orders.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "orders.db" : arguments[0]), System.out);
    }

    // snippet: workflow
    static String process(Flow flow, Order order) {
        Receipt paid = flow.run(CHARGE, order, options -> options.idempotencyKey("payment-" + order.id()));
        flow.onFailure("payment", () -> flow.run(REFUND, paid));
        if (flow.version("fraud-check", 1) >= 1) { // is newer than the rest
            flow.run(CHECK_FRAUD, order);
        }
        Step<String> reserved = flow.start(RESERVE, order); // both at the same time
        Step<String> packed = flow.start(PACK, order);
        flow.all(reserved, packed);
        flow.publish("stage", "waits for approval");
        if (!flow.signal("approved", Boolean.class, Duration.ofDays(7)).orElse(false)) {
            throw new PermanentFailure("order " + order.id() + " was not approved"); // so the payment is undone
        }
        return "shipped " + paid.id();
    }
    // end

    // snippet: before
    static String processBefore(Flow flow, Order order) {
        Receipt paid = flow.run(CHARGE, order, options -> options.idempotencyKey("payment-" + order.id()));
        Step<String> reserved = flow.start(RESERVE, order);
        Step<String> packed = flow.start(PACK, order);
        flow.all(reserved, packed);
        flow.publish("stage", "waits for approval");
        boolean approved =
                flow.signal("approved", Boolean.class, Duration.ofDays(7)).orElse(false);
        return approved ? "shipped " + paid.id() : flow.run(REFUND, paid);
    }
    // end

    static void run(Path file, PrintStream out) {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            // snippet: worker
            semel.worker("default")
                    .workflow(PROCESS, OrderWorkflow::process)
                    .handle(CHARGE, (context, order) -> new Receipt("receipt for " + order.id()))
                    .handle(CHECK_FRAUD, (context, order) -> "honest")
                    .handle(RESERVE, (context, order) -> "reserved")
                    .handle(PACK, (context, order) -> "packed")
                    .handle(REFUND, (context, receipt) -> {
                        out.println("refunded " + receipt.id());
                        return "refunded";
                    })
                    .start();
            // end
            approved(semel, out);
            refused(semel, out);
        }
    }

    private static void approved(Semel semel, PrintStream out) {
        // snippet: start
        semel.start(PROCESS, "order-456", new Order("456", 9900));
        semel.workflows().signal(PROCESS, "order-456", "approved", true);
        out.println(semel.workflows().handle(PROCESS, "order-456").result(PATIENCE));
        // end
    }

    private static void refused(Semel semel, PrintStream out) {
        // snippet: refused
        semel.start(PROCESS, "order-457", new Order("457", 100));
        semel.workflows().signal(PROCESS, "order-457", "approved", false, "decision-of-457");
        try {
            semel.workflows().handle(PROCESS, "order-457").result(PATIENCE);
        } catch (TaskUnsuccessful e) {
            out.println("order-457 " + e.status().word());
        }
        out.println(semel.workflows()
                .published(PROCESS, "order-457", "stage", String.class)
                .orElse("nothing"));
        // end
    }
}
