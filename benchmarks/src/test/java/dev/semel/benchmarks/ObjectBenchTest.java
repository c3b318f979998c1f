package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testservers.S3Server;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The benchmarks of object storage on a real server. */
@Timeout(120)
class ObjectBenchTest {

    @Test
    void requestsAreCountedAndWithinTheirGoal() throws Exception {
        try (S3Server server = S3Server.start()) {
            Process process = ObjectBenchRun.run(server, List.of("--short", "--json", "requests"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            JsonNode report = JsonMapper.builder().build().readTree(output);
            JsonNode details = report.path("results").get(0).path("details");
            assertThat(details.path(ObjectCosts.SINGLE).asDouble()).isBetween(1.0, 3.0);
            assertThat(details.path("submission, batch of 1,000").asDouble()).isLessThan(0.1);
            assertThat(details.path("run and finish, in bulk").asDouble()).isLessThan(0.1);
        }
    }

    @Test
    void aPriceIsThatOfTheList() {
        Requests requests = new Requests(3, 1, 10, 1, 100, 0, 0);
        assertThat(requests.pricePerMillion(1)).isEqualTo(4 * Requests.PUT_PRICE + 10 * Requests.GET_PRICE);
        assertThat(Requests.parse(requests.text())).isEqualTo(requests);
        assertThat(requests.minus(requests)).isEqualTo(Requests.NONE);
    }
}
