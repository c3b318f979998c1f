package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import org.junit.jupiter.api.Test;

class PostgresUrlTest {

    @Test
    void theSchemaIsSemelsOwnOptionAndTheOthersAreTheDrivers() {
        PostgresUrl url = PostgresUrl.parse("postgresql://me@db/app?sslmode=require&schema=jobs&connectTimeout=3");
        assertThat(url.schema()).isEqualTo("jobs");
        assertThat(url.jdbc()).isEqualTo("jdbc:postgresql://db/app?sslmode=require&connectTimeout=3");
        assertThat(url.applied(PostgresSettings.standard()).schema()).isEqualTo("jobs");
        PostgresUrl plain = PostgresUrl.parse("postgresql://db/app");
        assertThat(plain.schema()).isNull();
        assertThat(plain.jdbc()).isEqualTo("jdbc:postgresql://db/app");
        assertThat(plain.applied(PostgresSettings.standard()).schema()).isEqualTo("semel");
        assertThat(PostgresUrl.parse("postgresql://db/app?schema=jobs").jdbc()).isEqualTo("jdbc:postgresql://db/app");
    }

    @Test
    void aSchemaThatCannotBeOneIsRefused() {
        assertThatThrownBy(() -> PostgresUrl.parse("postgresql://db/app?schema=Jobs%3B"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"Jobs;\"");
    }

    @Test
    void aStoreBesideAnotherHasItsUrlWithAnotherSchema() {
        assertThat(PostgresUrl.withSchema("postgresql://me:p%40ss@db/app", "other"))
                .isEqualTo("postgresql://me:p%40ss@db/app?schema=other");
        assertThat(PostgresUrl.withSchema("postgresql://db/app?schema=jobs&sslmode=require", "other"))
                .isEqualTo("postgresql://db/app?sslmode=require&schema=other");
        assertThatThrownBy(() -> PostgresUrl.withSchema("postgresql://db/app", "no such"))
                .isInstanceOf(InvalidInput.class);
    }
}
