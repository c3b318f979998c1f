package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads everything that a file holds, as changes that build it again. */
public final class TableReader {

    /** What takes the rows one by one: there may be more of them than fit into memory. */
    public interface Sink {
        void put(Change row) throws SQLException;
    }

    private TableReader() {}

    /** Reads all rows of all entities in a transaction that has begun, in an order that is the same in every copy. */
    public static void readAll(Session session, Sink sink) throws SQLException {
        NameNumbers names = new NameNumbers(session);
        for (Entity entity : Entity.all(session)) {
            RowReader reader = new RowReader(entity, names);
            String sql = "SELECT "
                    + Stream.concat(entity.identity().stream(), entity.fields().stream())
                            .map(Column::quoted)
                            .collect(Collectors.joining(", "))
                    + " FROM " + entity.table() + " ORDER BY "
                    + entity.rowKey().stream().map(Column::quoted).collect(Collectors.joining(", "));
            try (ResultSet row = session.sql(sql.intern()).query()) {
                while (row.next()) {
                    Change change = reader.read(row, 1, -1);
                    if (change != null) {
                        sink.put(change);
                    }
                }
            }
        }
    }
}
