package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.TableReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Replicas of one log, compared row by row. */
final class Replicas {

    /** The address under which tests open stores, so that their replicas are found again after they were closed. */
    static final String WRITER = "writer";

    private Replicas() {}

    /** Settings for contracts, whose clock is exact and moved by hand: they have leases of any length. */
    static LogSettings settings(Path directory, MemoryService service) {
        return LogSettings.standard()
                .withDirectory(directory)
                .withElapsed(service::now)
                .withShortestLease(Duration.ZERO);
    }

    static List<Change> rows(LogReplica log) {
        return log.replica().read(catalog -> {
            List<Change> rows = new ArrayList<>();
            TableReader.readAll(catalog.session(), rows::add);
            return rows;
        });
    }

    /** Compares the kept replica of the first store that was closed with one that is built from the log. */
    static List<Change> compareBuilt(MemoryService service, LogSettings settings) {
        try (LogReplica writer = LogReplica.open(service.connect(), WRITER, settings);
                LogReplica built = LogReplica.open(service.connect(), "log", settings)) {
            List<Change> written = rows(writer);
            assertThat(rows(built)).isEqualTo(written);
            return written;
        }
    }

    /** Compares the kept replica of the first store that was closed with one that is built from the log or a snapshot. */
    static void compare(MemoryService service, LogSettings settings) {
        List<Change> written = compareBuilt(service, settings);
        try (LogReplica writer = LogReplica.open(service.connect(), WRITER, settings)) {
            writer.takeSnapshot();
        }
        try (LogReplica built = LogReplica.open(service.connect(), "snapshot", settings)) {
            assertThat(rows(built)).isEqualTo(written);
        }
    }
}
