package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.SharedLog;
import dev.semel.sqlite.capture.TableReader;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every store on copies that share a log; the second handle is a second copy. After each test a copy that is
 * built from the log alone holds exactly what the one that wrote it holds.
 */
class ReplicaContractTest extends TaskStoreContract {

    @TempDir
    Path directory;

    private ManualClock clock = new ManualClock();
    private SharedLog log = new SharedLog();
    private List<Change> written = List.of();

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        log = new SharedLog();
        written = List.of();
        return new ForwardingTaskStore(openAnother()) {};
    }

    @Override
    protected TaskStore openAnother() {
        SqliteReplica replica = replica();
        return new ForwardingTaskStore(replica.store()) {

            private boolean closed;

            @Override
            public void close() {
                if (!closed) {
                    closed = true;
                    replica.refresh();
                    written = rows(replica);
                    replica.close();
                }
            }
        };
    }

    private SqliteReplica replica() {
        SqliteSettings settings =
                SqliteSettings.standard().withClock(log.after(clock)).withElapsed(clock);
        return SqliteReplica.open(directory.resolve(UUID.randomUUID() + ".db"), settings, log.gate());
    }

    static List<Change> rows(SqliteReplica replica) {
        return replica.read(catalog -> {
            List<Change> rows = new ArrayList<>();
            TableReader.readAll(catalog.session(), rows::add);
            return rows;
        });
    }

    @AfterEach
    void aCopyBuiltFromTheLogIsTheSame() {
        if (!written.isEmpty()) {
            try (SqliteReplica built = replica()) {
                assertThat(rows(built)).isEqualTo(written);
            }
        }
    }
}
