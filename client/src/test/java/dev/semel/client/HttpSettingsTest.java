package dev.semel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.architecture.NullArguments;
import dev.semel.task.InvalidInput;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSettingsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "semel.example.com",
                "ftp://host",
                "http:",
                "http:///path",
                "https://user:secret@host",
                "https://host?token=secret",
                "https://host#secret",
                "https://ho st"
            })
    @DisplayName("A URL that is not that of a server is rejected, and not shown")
    void otherUrlsAreRejected(String url) {
        assertThatThrownBy(() -> HttpSettings.of(url))
                .isInstanceOf(InvalidInput.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://127.0.0.1:7411", "https://semel.example.com/", "HTTPS://host/path/to", "http://[::1]:1"})
    @DisplayName("A URL of a server is accepted")
    void urlsOfServersAreAccepted(String url) {
        assertThat(HttpSettings.of(url).server()).isEqualTo(URI.create(url));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "line\nbreak", "naïve"})
    @DisplayName("A token that no server gave out is rejected, and not shown")
    void otherTokensAreRejected(String token) {
        assertThatThrownBy(() -> HttpSettings.of("http://host").withToken(token))
                .isInstanceOf(InvalidInput.class)
                .satisfies(e -> assertThat(token.isEmpty()
                                || !String.valueOf(e.getMessage()).contains(token))
                        .isTrue());
    }

    @Test
    @DisplayName("A token is never shown")
    void aTokenIsNeverShown() {
        assertThat(HttpSettings.of("http://host").withToken("secret-token"))
                .asString()
                .doesNotContain("secret");
    }

    @Test
    @DisplayName("Limits are checked when they are set")
    void limitsAreChecked() {
        HttpSettings settings = HttpSettings.of("http://host");
        assertThatThrownBy(() -> settings.withConnections(0)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> settings.withConnections(1_001)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> settings.withRequestTimeout(Duration.ZERO)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> settings.withConnectTimeout(Duration.ofSeconds(-1)))
                .isInstanceOf(InvalidInput.class);
        assertThat(settings.withConnections(1).connections()).isEqualTo(1);
    }

    @Test
    @DisplayName("A null is reported where it is passed")
    void aNullIsReportedWhereItIsPassed() {
        NullArguments checked = new NullArguments(InvalidInput.class)
                .sample(URI.class, URI.create("http://127.0.0.1:1"))
                .sample(HttpSettings.class, HttpSettings.of("http://127.0.0.1:1"))
                .statics(HttpSettings.class, HttpTaskStore.class)
                .instances(HttpSettings.of("http://127.0.0.1:1"));
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isGreaterThan(3);
    }
}
