package dev.semel.s3.log;

import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.ChangeApplier;
import dev.semel.sqlite.capture.TableReader;
import dev.semel.sqlite.sql.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a later version of Semel has written and this one has no column for. It is kept beside the tables, so that a snapshot of
 * this version loses nothing.
 */
final class UnknownFields {

    private static final String CREATE = """
        CREATE TABLE IF NOT EXISTS semel_replica_unknown (
          entity TEXT NOT NULL, key TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (entity, key)
        ) STRICT, WITHOUT ROWID
        """;
    private static final String ANY = "SELECT EXISTS (SELECT 1 FROM semel_replica_unknown)";
    private static final String ALL = "SELECT entity, key, fields FROM semel_replica_unknown ORDER BY entity, key";
    private static final String FIND = "SELECT fields FROM semel_replica_unknown WHERE entity = ? AND key = ?";
    private static final String SAVE = """
        INSERT INTO semel_replica_unknown (entity, key, fields) VALUES (?1, ?2, ?3)
        ON CONFLICT (entity, key) DO UPDATE SET fields = ?3
        """;
    private static final String REMOVE = "DELETE FROM semel_replica_unknown WHERE entity = ? AND key = ?";
    private static final String CLEAR = "DELETE FROM semel_replica_unknown";

    private final Session session;
    private final ChangeApplier applier;
    private boolean any;

    UnknownFields(Session session, ChangeApplier applier) throws SQLException {
        this.session = session;
        this.applier = applier;
        session.sql(CREATE).update();
        try (ResultSet row = session.sql(ANY).query()) {
            any = row.next() && row.getBoolean(1);
        }
    }

    void clear() throws SQLException {
        session.sql(CLEAR).update();
        any = false;
    }

    /** Keeps what is not known of the changes, and returns what is, in a transaction that has begun. */
    List<Change> keep(List<Change> changes) throws SQLException {
        List<Change> known = new ArrayList<>(changes.size());
        for (Change change : changes) {
            Map<String, @Nullable Object> unknown = new LinkedHashMap<>(change.fields());
            boolean entity = applier.knows(change.entity());
            if (entity) {
                unknown.keySet().removeIf(field -> applier.knows(change.entity(), field));
            }
            if (any || !unknown.isEmpty() || !entity) {
                keep(change, unknown, !entity);
            }
            if (entity) {
                known.add(unknown.isEmpty() ? change : without(change, unknown));
            }
        }
        return known;
    }

    private static Change without(Change change, Map<String, @Nullable Object> unknown) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(change.fields());
        fields.keySet().removeAll(unknown.keySet());
        return new Change(change.entity(), change.kind(), change.key(), fields);
    }

    private void keep(Change change, Map<String, @Nullable Object> unknown, boolean whole) throws SQLException {
        String key = JsonText.text(change.key());
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (change.kind() == Change.Kind.SET) {
            try (ResultSet row =
                    session.sql(FIND).with(change.entity()).with(key).query()) {
                if (row.next()) {
                    fields.putAll(JsonText.values(row.getString(1)));
                }
            }
        }
        fields.putAll(unknown);
        if (change.kind() == Change.Kind.REMOVE || (fields.isEmpty() && !whole)) {
            session.sql(REMOVE).with(change.entity()).with(key).update();
        } else {
            session.sql(SAVE)
                    .with(change.entity())
                    .with(key)
                    .with(JsonText.text(fields))
                    .updateOne();
            any = true;
        }
    }

    /** Reads what is kept, as changes that follow those of the tables. */
    static void readAll(Session session, Map<String, List<String>> known, TableReader.Sink sink) throws SQLException {
        try (ResultSet row = session.sql(ALL).query()) {
            while (row.next()) {
                Map<String, Object> key = new LinkedHashMap<>();
                JsonText.values(row.getString(2)).forEach((name, value) -> {
                    if (value != null) {
                        key.put(name, value);
                    }
                });
                Change.Kind kind = known.containsKey(row.getString(1)) ? Change.Kind.SET : Change.Kind.PUT;
                sink.put(new Change(row.getString(1), kind, key, JsonText.values(row.getString(3))));
            }
        }
    }
}
