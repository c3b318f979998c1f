package dev.semel.spring;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

/** Spring's transactions on a SQLite file. */
class SqliteTransactionTest extends TransactionContract {

    private static final AtomicInteger FILES = new AtomicInteger();

    @TempDir
    static Path directory;

    @Override
    String freshDatabase() {
        return "jdbc:sqlite:" + directory.resolve("shop-" + FILES.incrementAndGet() + ".db") + "?busy_timeout=30000";
    }

    @Override
    boolean concurrentWriters() {
        return false;
    }
}
