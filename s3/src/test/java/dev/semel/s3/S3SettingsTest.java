package dev.semel.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.s3.client.Surroundings;
import dev.semel.task.InvalidInput;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** URLs, and that messages about them contain no secrets. */
class S3SettingsTest {

    @TempDir
    Path home;

    private S3Settings settings(String url, Map<String, String> environment) {
        return S3Settings.of(url, new Surroundings(environment, home, new ManualClock()));
    }

    @Test
    void urlsAreAccepted() {
        for (String url : List.of(
                "s3://bucket?region=eu-central-1",
                "s3://bucket/?region=eu-central-1",
                "s3://my.bucket/a/b/?region=eu-central-1",
                "s3://bucket/prefix?endpoint=http://127.0.0.1:9000",
                "s3://bucket/prefix?endpoint=https%3A%2F%2Fexample.com&region=auto&style=virtual&profile=x")) {
            assertThatCode(() -> settings(url, Map.of()).service().close())
                    .as(url)
                    .doesNotThrowAnyException();
        }
        assertThat(settings("s3://bucket/a/?region=x", Map.of())).hasToString("s3://bucket/a");
    }

    @Test
    void theRegionMayComeFromTheEnvironment() {
        assertThatThrownBy(() -> settings("s3://bucket", Map.of()).service())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("AWS_REGION");
        settings("s3://bucket", Map.of("AWS_REGION", "eu-central-1")).service().close();
        settings("s3://bucket", Map.of("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1"))
                .service()
                .close();
    }

    @Test
    void wrongUrlsAreRefusedWithoutShowingSecrets() {
        for (String url : List.of(
                "s3:bucket",
                "s3://",
                "s3://B",
                "s3://bucket/a//b",
                "s3://bucket/../b",
                "s3://bucket/a b",
                "s3://key:hunter2@bucket/a",
                "s3://bucket/a?secret=hunter2",
                "s3://bucket/a?region=a&hunter2",
                "s3://bucket/a?region=",
                "s3://bucket/a?region=a&region=b",
                "s3://bucket/a?region=eu_central",
                "s3://bucket/a?style=fancy",
                "s3://bucket/a?endpoint=ftp://host",
                "s3://bucket/a?endpoint=http://me:hunter2@host",
                "s3://bucket/a?endpoint=http://host/hunter2",
                "s3://bucket/" + "x".repeat(500))) {
            assertThatThrownBy(() -> settings(url, Map.of()))
                    .as(url)
                    .isInstanceOf(InvalidInput.class)
                    .message()
                    .doesNotContain("hunter2");
        }
    }
}
