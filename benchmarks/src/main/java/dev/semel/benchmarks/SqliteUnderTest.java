package dev.semel.benchmarks;

import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** SQLite: each sample uses a separate directory, on the disk of the given file. */
final class SqliteUnderTest implements StoreUnderTest {

    static final String PREFIX = "sqlite:";

    private static final String FILE = "bench.db";

    private final Path directory;

    private SqliteUnderTest(Path directory) {
        this.directory = directory;
    }

    static SqliteUnderTest beside(String url) {
        Path given = Path.of(url.substring(PREFIX.length())).toAbsolutePath();
        return new SqliteUnderTest(Files.isDirectory(given) ? given : Objects.requireNonNull(given.getParent()));
    }

    @Override
    public Place fresh() {
        try {
            return new SqlitePlace(Files.createTempDirectory(directory, "semel-bench-"));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The directory of a sample could not be created in" + " \"" + directory + "\"", e);
        }
    }

    @Override
    public TaskStore open(String url) {
        return SqliteTaskStore.open(Path.of(url.substring(PREFIX.length())));
    }

    @Override
    public boolean isServer() {
        return false;
    }

    @Override
    public List<String> warnings(Map<String, String> facts) {
        return List.of();
    }

    private record SqlitePlace(Path home) implements Place {

        private Path file() {
            return home.resolve(FILE);
        }

        @Override
        public String url() {
            return PREFIX + file();
        }

        @Override
        public TaskStore open() {
            return SqliteTaskStore.open(file());
        }

        @Override
        public RawStore openRaw() {
            return new RawSqlite(file());
        }

        @Override
        public Map<String, String> facts() {
            Map<String, String> facts = new LinkedHashMap<>();
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file())) {
                for (String pragma : List.of("journal_mode", "page_size")) {
                    try (ResultSet row = connection.createStatement().executeQuery("PRAGMA " + pragma)) {
                        row.next();
                        facts.put(pragma, row.getString(1));
                    }
                }
                try (ResultSet row = connection.createStatement().executeQuery("SELECT sqlite_version()")) {
                    row.next();
                    facts.put("version", row.getString(1));
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return facts;
        }

        @Override
        public long bytes() {
            try (Stream<Path> files = Files.list(home)) {
                return files.mapToLong(file -> file.toFile().length()).sum();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
