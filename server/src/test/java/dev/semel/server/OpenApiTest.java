package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.http.Route;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    @Test
    void everySchemaThatIsNamedExistsAndEveryOperationHasANameOfItsOwn() {
        try (ServerFixture http = ServerFixture.local()) {
            String description = http.get("/v1/openapi.json").body();
            JsonMembers schemas = JsonDocument.parse(description)
                    .members("description")
                    .get("components")
                    .members("components")
                    .get("schemas")
                    .members("schemas");
            Matcher reference = Pattern.compile("\"\\$ref\":\"#/components/schemas/([^\"]*)\"")
                    .matcher(description);
            int references = 0;
            while (reference.find()) {
                references++;
                assertThat(schemas.has(reference.group(1)))
                        .as(reference.group(1))
                        .isTrue();
            }
            assertThat(references).isGreaterThan(50);
            Matcher name = Pattern.compile("\"operationId\":\"([^\"]*)\"").matcher(description);
            Set<String> names = new HashSet<>();
            while (name.find()) {
                assertThat(names.add(name.group(1))).as(name.group(1)).isTrue();
            }
        }
    }
}
