package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

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

    @ParameterizedTest
    @CsvSource({
        "shema=jobs, schema",
        "Schema=jobs, schema",
        "ssl_mode=require, sslmode",
        "connecttimeout=3, connectTimeout",
    })
    void anOptionThatNobodyKnowsIsRefusedWithTheNameThatWasProbablyMeant(String option, String meant) {
        assertThatThrownBy(() -> PostgresUrl.parse("postgresql://me:hunter@db/app?" + option))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"" + option.substring(0, option.indexOf('=')) + "\"")
                .hasMessageContaining("Did you mean \"" + meant + "\"?")
                .hasMessageNotContaining("hunter");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sslmode=maybe",
                "connectTimeout=soon",
                "connectTimeout=99999999999",
                "tcpKeepAlive=yes",
                "ssl=perhaps",
                "schema=",
                "schema=a&schema=b",
                "sslmode",
                "=require",
                "schema=%zz"
            })
    void aValueThatAnOptionCannotHaveIsRefused(String options) {
        assertThatThrownBy(() -> PostgresUrl.parse("postgresql://db/app?" + options))
                .isInstanceOf(InvalidInput.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"db:0", "db:65536", "db:x", "db:", "db:5432:1", "a,b:x", "", "d b", "[::1", "::1"})
    void aBadHostOrPortIsRefused(String hosts) {
        assertThatThrownBy(() -> PostgresUrl.parse("postgresql://" + hosts + "/app"))
                .isInstanceOf(InvalidInput.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"db", "db:5432", "10.0.0.1:5432", "[::1]:5432", "[fe80::1]", "a,b:5433", "my-db_1.example.com"})
    void hostsThatTheDriverKnowsAreAllowed(String hosts) {
        PostgresUrl url = PostgresUrl.parse("postgresql://me:a%2Fb%3Fc@" + hosts + "/app?reWriteBatchedInserts=true");
        assertThat(url.password()).isEqualTo("a/b?c");
        assertThat(Driver.parseURL(url.jdbc(), null)).isNotNull();
        assertThat(url.withoutSecrets()).isEqualTo("postgresql://" + hosts + "/app");
    }

    @Test
    void everyOptionOfTheDriverIsAllowed() {
        for (PGProperty property : PGProperty.values()) {
            String usual = property.getDefaultValue();
            String[] choices = property.getChoices();
            String value = choices != null ? choices[0] : usual == null ? "true" : usual.replace(' ', '+');
            assertThat(PostgresUrl.parse("postgresql://db/app?" + property.getName() + "=" + value)
                            .jdbc())
                    .contains(property.getName());
        }
    }
}
