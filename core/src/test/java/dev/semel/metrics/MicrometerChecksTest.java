package dev.semel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardConflict;
import dev.semel.guard.InMemoryGuardStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests of the output of a real Prometheus registry when it is scraped. */
class MicrometerChecksTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerChecks checks = new MicrometerChecks(registry);

    private List<String> scraped(String begin) {
        return registry.scrape().lines().filter(line -> line.startsWith(begin)).toList();
    }

    @Test
    void theNamesAreExactlyThese() {
        TreeSet<String> names = new TreeSet<>();
        registry.scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE "))
                .forEach(line -> names.add(line.substring("# TYPE ".length())));
        assertThat(names)
                .containsExactly(
                        "idempotency_check_duration_seconds summary",
                        "idempotency_check_duration_seconds_max gauge",
                        "idempotency_check_total counter");
    }

    @Test
    void aGuardCountsWhatItsLooksComeTo() {
        try (Guard guard = Guard.on(new InMemoryGuardStore()).observer(checks).build()) {
            guard.call("k").payload("a").once(String.class, token -> "1");
            guard.call("k").payload("a").once(String.class, token -> "2");
            guard.call("k").payload("a").once(String.class, token -> "3");
            assertThatThrownBy(() -> guard.call("k").payload("b").once(String.class, token -> "4"))
                    .isInstanceOf(GuardConflict.class);
        }
        assertThat(scraped("idempotency_check_total"))
                .containsExactlyInAnyOrder(
                        "idempotency_check_total{result=\"new\"} 1.0",
                        "idempotency_check_total{result=\"duplicate\"} 2.0",
                        "idempotency_check_total{result=\"conflict\"} 1.0",
                        "idempotency_check_total{result=\"error\"} 0.0");
        assertThat(scraped("idempotency_check_duration_seconds_count"))
                .contains(
                        "idempotency_check_duration_seconds_count{result=\"new\"} 1",
                        "idempotency_check_duration_seconds_count{result=\"duplicate\"} 2");
    }
}
