package dev.semel.spring.autoconfigure;

import dev.semel.spring.SetUpFailure;
import dev.semel.spring.transaction.TargetDataSource;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/** Finds the storage that {@code semel.store} names. */
final class StorageLocator {

    private static final String PROPERTY = "semel.store";
    private static final String DATA_SOURCE = "datasource";
    private static final String SQLITE = "sqlite:";
    private static final String FORMS =
            "It is datasource, datasource:BEAN, sqlite:FILE, postgresql://user:password@host/database or memory.";

    private final BeanFactory beans;
    private final SemelProperties properties;

    StorageLocator(BeanFactory beans, SemelProperties properties) {
        this.beans = beans;
        this.properties = properties;
    }

    Storage locate() {
        String store = properties.store();
        if (store == null || store.equals(DATA_SOURCE)) {
            return in(onlyDataSource());
        }
        if (store.startsWith(DATA_SOURCE + ":")) {
            return in(named(store.substring(DATA_SOURCE.length() + 1)));
        }
        if (store.startsWith(SQLITE) && store.length() > SQLITE.length()) {
            return sqlite(path(store.substring(SQLITE.length())), null);
        }
        if (store.startsWith("postgresql://") || store.startsWith("jdbc:postgresql://")) {
            requirePostgres();
            return PostgresStorage.at(store, properties.postgresql());
        }
        if (store.equals("memory")) {
            return new Storage.Memory();
        }
        throw new InvalidConfigurationPropertyValueException(PROPERTY, store, FORMS);
    }

    private DataSource onlyDataSource() {
        DataSource source = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (source == null) {
            throw new SetUpFailure(
                    "Semel does not know where to keep tasks: semel.store is not set, and there is no data source, or"
                            + " more than one and none is primary.",
                    "Set spring.datasource.url to a PostgreSQL or SQLite database, or semel.store to one of these: "
                            + FORMS);
        }
        return source;
    }

    private DataSource named(String bean) {
        try {
            return beans.getBean(bean, DataSource.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY, DATA_SOURCE + ":" + bean, "There is no bean of class DataSource with that name.");
        }
    }

    private Storage in(DataSource given) {
        boolean spring = ClassUtils.isPresent(
                "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy",
                getClass().getClassLoader());
        DataSource source = spring ? TargetDataSource.of(given) : given;
        try (Connection connection = source.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            return switch (product) {
                case "PostgreSQL" -> {
                    requirePostgres();
                    yield PostgresStorage.in(source, properties.postgresql());
                }
                case "SQLite" -> sqlite(file(connection), source);
                default ->
                    throw new SetUpFailure(
                            "Semel keeps tasks in PostgreSQL or SQLite, but the data source is \"" + product + "\".",
                            "Set semel.store to a place of Semel's own, for example sqlite:semel.db, and semel.join=never"
                                    + " if you submit inside transactions of that data source.");
            };
        } catch (SQLException e) {
            SetUpFailure failure = new SetUpFailure(
                    "The data source in which Semel keeps tasks gave no connection: " + e.getMessage(),
                    "Check spring.datasource.url, or start the database.");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Returns the file that a connection has open, as SQLite itself names it. */
    private static Path file(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT file FROM pragma_database_list WHERE name = 'main'")) {
            String file = row.next() ? row.getString("file") : null;
            if (file == null || file.isEmpty()) {
                throw new SetUpFailure(
                        "The data source is a SQLite database in memory, which no second connection can open.",
                        "Use a file: spring.datasource.url=jdbc:sqlite:app.db.");
            }
            return Path.of(file);
        }
    }

    private Storage sqlite(Path file, @Nullable DataSource source) {
        require("dev.semel.sqlite.SqliteTaskStore", "semel-sqlite");
        return new SqliteStorage(file, source, properties.sqlite());
    }

    private static void requirePostgres() {
        require("dev.semel.postgresql.PostgresTaskStore", "semel-postgresql");
    }

    private static void require(String className, String artifact) {
        if (!ClassUtils.isPresent(className, StorageLocator.class.getClassLoader())) {
            throw new SetUpFailure(
                    "The store of Semel is not on the class path.", "Add the dependency dev.semel:" + artifact + ".");
        }
    }

    private static Path path(String file) {
        try {
            return Path.of(file);
        } catch (InvalidPathException e) {
            throw new InvalidConfigurationPropertyValueException(PROPERTY, SQLITE + file, "It is no path of a file.");
        }
    }
}
