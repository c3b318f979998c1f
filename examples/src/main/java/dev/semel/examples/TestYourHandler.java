package dev.semel.examples;

import dev.semel.engine.TaskContext;
import dev.semel.task.TaskType;
import dev.semel.testkit.Disturbance;
import dev.semel.testkit.HandlerTrial;
import dev.semel.testkit.TokenProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** The program of docs/how-to/test-your-handler.md. Its trials would be tests in your program. */
public final class TestYourHandler {

    record Order(String id, int cents) {}

    static final TaskType<Order, String> CHARGE = TaskType.of("charge_order", Order.class, String.class);

    private static final Order ORDER = new Order("ORD-1", 9_900);

    // snippet: gateway
    interface Gateway {
        String charge(Order order, String token) throws IOException;
    }
    // end

    private TestYourHandler() {}

    /**
     * Runs the program.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        run(System.out);
    }

    static void run(PrintStream out) {
        try {
            naive();
        } catch (AssertionError e) {
            out.println(e.getMessage());
        }
        out.println(fixed());
        withoutTokens(out);
        ownTable(out);
    }

    // snippet: naive-handler
    /** Uses a new token in each attempt, which is a new charge to the gateway. */
    static String chargeAgain(TaskContext context, Order order, Gateway gateway) throws IOException {
        return gateway.charge(order, order.id() + "-" + context.attempt());
    }
    // end

    private static void naive() {
        // snippet: naive
        HandlerTrial.of(CHARGE, ORDER, run -> {
                    TokenProvider provider = run.provider("gateway");
                    Gateway gateway = (order, token) -> provider.call(token, order.id());
                    return (context, order) -> chargeAgain(context, order, gateway);
                })
                .check();
        // end
    }

    // snippet: fixed-handler
    static String chargeOnce(TaskContext context, Order order, Gateway gateway) throws IOException {
        return context.effect("charge", String.class, token -> gateway.charge(order, token));
    }
    // end

    private static HandlerTrial.Report fixed() {
        // snippet: fixed
        HandlerTrial.Report report = HandlerTrial.of(CHARGE, ORDER, run -> {
                    TokenProvider provider = run.provider("gateway");
                    Gateway gateway = (order, token) -> provider.call(token, order.id());
                    return (context, order) -> chargeOnce(context, order, gateway);
                })
                .check();
        // end
        return report;
    }

    private static void withoutTokens(PrintStream out) {
        // snippet: park
        HandlerTrial.of(CHARGE, ORDER, run -> {
                    TokenProvider bank = run.providerWithoutTokens("bank");
                    return (context, order) -> context.effect("transfer", String.class)
                            .parkIfUnknown()
                            .run(token -> bank.call(token, order.id()));
                })
                .check();
        // end
        out.println("a person resolves what a bank without tokens leaves unknown");

        // snippet: probe
        HandlerTrial.of(CHARGE, ORDER, run -> {
                    TokenProvider bank = run.providerWithoutTokens("bank");
                    return (context, order) -> context.effect("transfer", String.class)
                            .probeIfUnknown(bank::probe)
                            .run(token -> bank.call(token, order.id()));
                })
                .disturbedBy(Disturbance.CRASH, Disturbance.LOST_ANSWER, Disturbance.SILENT_PROVIDER)
                .check();
        // end
        out.println("so does a probe, except for a frozen worker that continues");

        // snippet: assume
        HandlerTrial.of(CHARGE, ORDER, run -> {
                    TokenProvider mail = run.providerWithoutTokens("mail");
                    return (context, order) -> context.effect("mail", String.class)
                            .assumeDoneIfUnknown("perhaps")
                            .run(token -> mail.call(token, order.id()));
                })
                .mayLose("mail")
                .resultMayDiffer()
                .check();
        // end
        out.println("an assumed mail may be lost and is not sent twice");
    }

    private static void ownTable(PrintStream out) {
        // snippet: observe
        HandlerTrial.of(CHARGE, ORDER, run -> {
                    Map<String, Integer> sales = new LinkedHashMap<>();
                    run.observe("sales", () -> sales);
                    return (context, order) -> {
                        sales.put(order.id(), order.cents()); // set, not added, because it may run again
                        run.moment("the sale is written");
                        return "written";
                    };
                })
                .check();
        // end
        out.println("a sale is written once");
    }
}
