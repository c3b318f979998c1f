package dev.semel.examples.shop;

import dev.semel.engine.TaskContext;
import dev.semel.examples.shop.ShopApplication.Charge;
import dev.semel.examples.shop.ShopApplication.Receipt;
import dev.semel.spring.TaskHandler;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.springframework.stereotype.Component;

/** Charges orders. */
@Component
class Charging {

    private final Bank bank;

    Charging(Bank bank) {
        this.bank = bank;
    }

    // snippet: handler
    @TaskHandler("charge_order")
    Receipt charge(Charge charge, TaskContext context) throws SQLException {
        // The bank is asked once, whatever happens; its answer is recorded before the order is changed.
        Receipt receipt = context.effect("bank", Receipt.class, token -> bank.charge(token, charge.cents()));
        // The order is marked as paid and the task completed in one transaction.
        return context.<Receipt, SQLException>transaction(connection -> {
            try (PreparedStatement paid = connection.prepareStatement("UPDATE orders SET payment = ? WHERE id = ?")) {
                paid.setString(1, receipt.payment());
                paid.setString(2, charge.order());
                paid.executeUpdate();
            }
            return receipt;
        });
    }
    // end
}
