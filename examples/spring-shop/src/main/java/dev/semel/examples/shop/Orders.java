package dev.semel.examples.shop;

import dev.semel.Semel;
import dev.semel.examples.shop.ShopApplication.Charge;
import dev.semel.spring.Idempotent;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The orders of the shop. */
@Service
class Orders {

    record OrderRequest(String item, long cents) {}

    record Order(
            String id, String item, long cents, @Nullable String payment) {}

    private final JdbcTemplate jdbc;
    private final Semel semel;

    Orders(JdbcTemplate jdbc, Semel semel) {
        this.jdbc = jdbc;
        this.semel = semel;
    }

    // snippet: place
    @Transactional
    @Idempotent(name = "place_order", key = "#key", payload = "#request")
    public Order place(String key, OrderRequest request) {
        Order order = new Order(UUID.randomUUID().toString(), request.item(), request.cents(), null);
        jdbc.update("INSERT INTO orders (id, item, cents) VALUES (?, ?, ?)", order.id(), order.item(), order.cents());
        semel.submit(ShopApplication.CHARGE, new Charge(order.id(), order.cents()))
                .idempotencyKey("charge-" + order.id())
                .send();
        takeFromStock(order.item());
        return order;
    }
    // end

    private void takeFromStock(String item) {
        if (jdbc.update("UPDATE stock SET pieces = pieces - 1 WHERE item = ? AND pieces > 0", item) == 0) {
            throw new SoldOut(item);
        }
    }

    List<Order> find(String id) {
        return jdbc.query(
                "SELECT id, item, cents, payment FROM orders WHERE id = ?",
                (row, number) -> new Order(
                        row.getString("id"), row.getString("item"), row.getLong("cents"), row.getString("payment")),
                id);
    }

    /** Thrown if nothing is left of an item. */
    static final class SoldOut extends RuntimeException {

        private static final long serialVersionUID = 1L;

        SoldOut(String item) {
            super("sold out: " + item);
        }
    }
}
