package dev.semel.s3.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.TableReader;
import java.util.ArrayList;
import java.util.List;

/** Replicas of one log, compared row by row. */
final class Replicas {

    /** The address under which tests open stores, so that their replicas are found again after they were closed. */
    static final String WRITER = "writer";

    private Replicas() {}

    static List<Change> rows(LogReplica log) {
        return log.replica().read(catalog -> {
            List<Change> rows = new ArrayList<>();
            TableReader.readAll(catalog.session(), rows::add);
            return rows;
        });
    }

    /** Compares the kept replica of the first store that was closed with one that is built from the log or a snapshot. */
    static void compare(MemoryService service, LogSettings settings) {
        List<Change> written;
        List<Change> followed;
        try (LogReplica writer = LogReplica.open(service.connect(), WRITER, settings)) {
            written = rows(writer);
            try (LogReplica built = LogReplica.open(service.connect(), "log", settings)) {
                followed = rows(built);
            }
            writer.takeSnapshot();
        }
        assertThat(followed).isEqualTo(written);
        try (LogReplica built = LogReplica.open(service.connect(), "snapshot", settings)) {
            assertThat(rows(built)).isEqualTo(written);
        }
    }
}
