package dev.semel.examples.shop;

import dev.semel.examples.shop.ShopApplication.Receipt;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** A bank for the example. Like a real one it recognises a repeated charge by its token. */
@Component
class Bank {

    /**
     * A charge.
     *
     * @param cents the amount
     * @param nanos the time of the call, by {@link System#nanoTime}
     */
    record Call(long cents, long nanos) {}

    private final Map<String, Receipt> byToken = new ConcurrentHashMap<>();
    private final LinkedBlockingQueue<Call> calls = new LinkedBlockingQueue<>();

    Receipt charge(String token, long cents) {
        long began = System.nanoTime();
        Receipt receipt = byToken.computeIfAbsent(token, first -> new Receipt("payment-" + token.substring(0, 8)));
        // Last: whoever sees the call also sees the charge.
        calls.add(new Call(cents, began));
        return receipt;
    }

    /** Waits for the next call; null after a minute without one. */
    @Nullable
    Call nextCall() throws InterruptedException {
        return calls.poll(60, TimeUnit.SECONDS);
    }

    int charges() {
        return byToken.size();
    }
}
