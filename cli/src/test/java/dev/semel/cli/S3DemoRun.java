package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.s3.S3Settings;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.testservers.S3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The demonstration on object storage. Not part of the build, by its name: it takes a minute or more, because leases have ten
 * seconds there.
 */
@Timeout(900)
class S3DemoRun {

    @Test
    void everyPromiseHoldsAndNothingIsLeftBehind(@TempDir Path home) throws IOException {
        String before = System.getProperty("user.home");
        Files.createDirectory(home.resolve(".aws"));
        Files.writeString(
                home.resolve(".aws/credentials"),
                "[semel]\naws_access_key_id=" + S3Server.ACCESS_KEY + "\naws_secret_access_key=" + S3Server.SECRET_KEY
                        + "\n");
        System.setProperty("user.home", home.toString());
        try (S3Server server = S3Server.start()) {
            String url = "s3://" + S3Server.BUCKET + "/demo?endpoint=" + server.endpoint() + "&profile=semel";
            JsonNode json = Cli.bare("", Map.of(), "demo", "--json", "--store", url)
                    .exits(0)
                    .json();
            assertThat(json.path("ok").asBoolean()).isTrue();
            assertThat(json.path("promises").size()).isEqualTo(9);
            try (ObjectStore objects = S3Settings.of(url).objects()) {
                assertThat(objects.list("", "", 10).objects()).isEmpty();
            }
        } finally {
            System.setProperty("user.home", before);
        }
    }
}
