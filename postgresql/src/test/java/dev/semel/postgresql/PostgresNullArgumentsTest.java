package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.architecture.NullArguments;
import dev.semel.task.InvalidInput;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A null is reported where it is passed. */
class PostgresNullArgumentsTest {

    @Test
    void aNullIsReportedWhereItIsPassed() {
        NullArguments checked = new NullArguments(InvalidInput.class)
                .sample(String.class, "postgresql://127.0.0.1:1/nowhere")
                .sample(PostgresSettings.class, PostgresSettings.standard())
                .sample(DataSource.class, new PGSimpleDataSource())
                .statics(
                        PostgresTaskStore.class, PostgresGuardStore.class, PostgresSettings.class, PostgresSchema.class)
                .instances(PostgresSettings.standard());
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isGreaterThan(10);
    }
}
