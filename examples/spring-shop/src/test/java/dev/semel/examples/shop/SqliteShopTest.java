package dev.semel.examples.shop;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

/** The shop on a SQLite file, as it is started without any setting. */
class SqliteShopTest extends ShopContract {

    private static final AtomicInteger FILES = new AtomicInteger();

    @TempDir
    static Path directory;

    @Override
    String freshDatabase() {
        return "jdbc:sqlite:" + directory.resolve("shop-" + FILES.incrementAndGet() + ".db")
                + "?transaction_mode=IMMEDIATE&busy_timeout=30000";
    }
}
