package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.http.Route;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The description that a server serves is complete: every route, and nothing else. */
class OpenApiTest {

    @Test
    void everyRouteIsDescribed() {
        try (ServerFixture http = ServerFixture.local()) {
            JsonMembers paths = http.get("/v1/openapi.json").json().get("paths").members("paths");
            for (Route route : http.server.routes()) {
                // These are for HttpTaskStore of the same release, and no promise to others.
                if (!route.path().startsWith("/v1/store")) {
                    JsonDocument path = paths.find(route.path()).orElse(JsonDocument.parse("{}"));
                    assertThat(path.members("path").has(route.method().toLowerCase(Locale.ROOT)))
                            .as(route.toString())
                            .isTrue();
                }
            }
        }
    }
}
