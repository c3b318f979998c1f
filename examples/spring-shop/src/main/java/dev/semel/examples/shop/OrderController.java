package dev.semel.examples.shop;

import dev.semel.examples.shop.Orders.Order;
import dev.semel.examples.shop.Orders.OrderRequest;
import dev.semel.examples.shop.Orders.SoldOut;
import dev.semel.guard.GuardConflict;
import dev.semel.guard.InProgress;
import dev.semel.task.StoreUnavailable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Orders over HTTP. A client that repeats a request with its {@code Idempotency-Key} gets the first answer again. */
@RestController
@RequestMapping("/orders")
class OrderController {

    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    // snippet: post
    @PostMapping
    ResponseEntity<Order> post(@RequestHeader("Idempotency-Key") String key, @RequestBody OrderRequest request) {
        return ResponseEntity.status(HttpStatus.CREATED).body(orders.place(key, request));
    }
    // end

    @GetMapping("/{id}")
    ResponseEntity<Order> get(@PathVariable("id") String id) {
        return orders.find(id).stream()
                .findFirst()
                .map(ResponseEntity::ok)
                .orElseGet(() -> ResponseEntity.notFound().build());
    }

    // snippet: errors
    @ExceptionHandler
    ResponseEntity<String> usedForAnotherRequest(GuardConflict conflict) {
        return ResponseEntity.status(422).body("this Idempotency-Key was used for another request");
    }

    @ExceptionHandler
    ResponseEntity<String> stillRunning(InProgress busy) {
        return ResponseEntity.status(HttpStatus.CONFLICT).body("the first request with this key is still running");
    }

    @ExceptionHandler
    ResponseEntity<String> tryAgain(StoreUnavailable trouble) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("try again with the same key");
    }
    // end

    @ExceptionHandler
    ResponseEntity<String> soldOut(SoldOut soldOut) {
        return ResponseEntity.status(HttpStatus.GONE).body(soldOut.getMessage());
    }
}
