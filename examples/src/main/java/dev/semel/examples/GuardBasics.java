package dev.semel.examples;

import dev.semel.guard.FailMode;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardConflict;
import dev.semel.guard.GuardStore;
import dev.semel.guard.GuardedFunction;
import dev.semel.guard.KeyExtractor;
import dev.semel.redis.RedisGuardStore;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.task.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** The program of docs/how-to/guard.md. */
public final class GuardBasics {

    record Order(String id, String product, long cents, String traceId) {}

    record Receipt(String order, String payment) {}

    private int charges;

    private GuardBasics() {}

    /**
     * Runs the program.
     *
     * @param arguments the URI of a Redis, or the SQLite file; {@code guard.db} in the working directory if there is none
     * @throws IOException never, in this program
     */
    public static void main(String[] arguments) throws IOException {
        String place = arguments.length == 0 ? "guard.db" : arguments[0];
        // snippet: stores
        GuardStore store = place.startsWith("redis")
                ? RedisGuardStore.open(URI.create(place))
                : SqliteGuardStore.open(Path.of(place));
        // end
        try (store) {
            run(store, System.out);
        }
    }

    static void run(GuardStore store, PrintStream out) throws IOException {
        // snippet: guard
        Guard guard = Guard.on(store)
                .prefix("shop/")
                .ttl(Duration.ofHours(24))
                .failMode(FailMode.CLOSED)
                .build();
        // end
        try (guard) {
            GuardBasics shop = new GuardBasics();
            shop.once(guard, out);
            ownTtl(guard, out);
            failure(guard, out);
            shop.wrapper(guard, out);
            extractors(out);
            shop.payload(guard, out);
        }
    }

    private Receipt charge(Order order, String token) {
        charges++;
        return new Receipt(order.id(), "payment-" + token.substring(0, 4).length());
    }

    private void once(Guard guard, PrintStream out) {
        Order order = new Order("abc-123", "apple", 9900, "t-1");
        // snippet: once
        Receipt first = guard.once("order:create:abc-123", Receipt.class, token -> charge(order, token));
        Receipt again = guard.once("order:create:abc-123", Receipt.class, token -> charge(order, token));

        out.println("same receipt: " + first.equals(again));
        out.println("charges: " + charges);
        out.println("looked up: "
                + guard.lookup("order:create:abc-123", Receipt.class).isPresent());
        // end
    }

    private static void ownTtl(Guard guard, PrintStream out) {
        // snippet: ttl
        boolean ran = guard.call("newsletter:2026-11")
                .tenant("acme")
                .ttl(Duration.ofDays(40))
                .once(Boolean.class, token -> true);
        out.println("sent: " + ran);
        // end
    }

    private static void failure(Guard guard, PrintStream out) {
        // snippet: failure
        try {
            guard.run("refund:abc-123", token -> {
                throw new IOException("no route to the bank");
            });
        } catch (IOException e) {
            out.println("failed: " + guard.find("refund:abc-123").orElseThrow().error());
        }
        out.println("runs again: " + guard.run("refund:abc-123", token -> out.println("refunded")));
        // end
    }

    private void wrapper(Guard guard, PrintStream out) {
        // snippet: wrapper
        GuardedFunction<Order, Receipt, RuntimeException> charging =
                guard.wrap(KeyExtractor.typeAndId("order.charge", Order::id), Receipt.class, this::charge);

        Receipt first = charging.apply(new Order("def-456", "pear", 500, "t-1"));
        Receipt again = charging.apply(new Order("def-456", "pear", 500, "t-2"));
        out.println("wrapped once: " + first.equals(again));
        // end
    }

    private static void extractors(PrintStream out) {
        // snippet: extractors
        KeyExtractor<Order> chosenFields = KeyExtractor.fields("/id", "/product");
        KeyExtractor<Order> typeAndId = KeyExtractor.typeAndId("order.charge", Order::id);
        KeyExtractor<Order> wholePayload = KeyExtractor.payload("/traceId");
        KeyExtractor<String> wholeMessage = KeyExtractor.<Json>payload().from(Json::parse);
        KeyExtractor<Order> custom = order -> "charge-of-" + order.id();
        // end
        Order one = new Order("ghi-789", "plum", 100, "t-1");
        Order two = new Order("ghi-789", "plum", 100, "t-2");
        out.println("fields: " + KeyExtractor.keyOf(chosenFields, one).equals(chosenFields.key(two)));
        out.println("type and id: " + typeAndId.key(one));
        out.println("payload: " + KeyExtractor.keyOf(wholePayload, one).equals(wholePayload.key(two)));
        out.println("message: "
                + KeyExtractor.keyOf(wholeMessage, "{\"a\":1,\"b\":2}").equals(wholeMessage.key("{\"b\":2, \"a\":1}")));
        out.println("custom: " + custom.key(one));
    }

    private void payload(Guard guard, PrintStream out) {
        Order cheap = new Order("jkl-012", "fig", 100, "t-1");
        Order dear = new Order("jkl-012", "fig", 900, "t-1");
        // snippet: payload
        guard.call("jkl-012").payload(cheap).once(Receipt.class, token -> charge(cheap, token));
        try {
            guard.call("jkl-012").payload(dear).once(Receipt.class, token -> charge(dear, token));
        } catch (GuardConflict conflict) {
            out.println("another payload: refused");
        }
        // end
    }
}
