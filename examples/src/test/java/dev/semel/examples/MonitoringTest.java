package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.metrics.Metric;
import dev.semel.metrics.MicrometerChecks;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard, the alert rules and the pages name metrics that a scrape of a real instance has. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MonitoringTest {

    private static final Pattern SERIES = Pattern.compile("\\b(?:semel|idempotency)_[a-z_]+");
    private static final Pattern ROW =
            Pattern.compile("\\| `((?:semel|idempotency)\\.[a-z.]+)`, an? (\\w+) \\|(.*)\\|(.*)\\|.*\\|");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    @TempDir
    Path directory;

    private static Path docs() {
        return Repository.root().resolve("docs");
    }

    private static Set<String> names(String text) {
        Set<String> names = new TreeSet<>();
        Matcher series = SERIES.matcher(text);
        while (series.find()) {
            names.add(series.group());
        }
        return names;
    }

    private Set<String> scraped() throws InterruptedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            Monitor.metrics(directory.resolve("semel.db"), out);
        }
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceFirst("[{ ].*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void dashboardAndAlertsUseMetricsThatAreInAScrape() throws Exception {
        Set<String> scraped = scraped();
        Set<String> all = Arrays.stream(Metric.values())
                .flatMap(metric -> metric.series().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(scraped).containsAll(all);
        for (String file : new String[] {"dashboard.json", "alerts.yml"}) {
            String text = Files.readString(docs().resolve("how-to/monitor/" + file));
            assertThat(names(text))
                    .as(file)
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(scraped).contains(name));
        }
        assertThat(names(Files.readString(docs().resolve("how-to/monitor.md"))))
                .allSatisfy(name -> assertThat(scraped).contains(name));
    }

    @Test
    void theDashboardIsJsonWithATitleAndAQueryInEveryPanel() throws IOException {
        JsonNode dashboard = JsonMapper.builder()
                .build()
                .readTree(Files.readString(docs().resolve("how-to/monitor/dashboard.json")));
        assertThat(dashboard.get("title").asString()).isEqualTo("Semel");
        assertThat(dashboard.get("panels").size()).isGreaterThan(5);
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(panel.get("title").asString()).isNotBlank();
            for (JsonNode target : panel.get("targets")) {
                assertThat(names(target.get("expr").asString()))
                        .as(panel.get("title").asString())
                        .isNotEmpty();
            }
        }
    }

    @Test
    void theReferenceListsEveryMetricWithItsSeriesAndTags() throws IOException {
        Set<String> listed = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(docs().resolve("reference/metrics.md")));
        while (row.find()) {
            String id = row.group(1);
            listed.add(id);
            for (Metric metric : Metric.values()) {
                if (metric.id().equals(id)) {
                    assertThat(quoted(row.group(3))).as(id).containsExactlyInAnyOrderElementsOf(metric.series());
                    assertThat(quoted(row.group(4))).as(id).containsExactlyInAnyOrderElementsOf(metric.tags());
                }
            }
        }
        Set<String> all = Arrays.stream(Metric.values()).map(Metric::id).collect(Collectors.toCollection(TreeSet::new));
        all.add(MicrometerChecks.COUNTER);
        all.add(MicrometerChecks.TIMER);
        assertThat(listed).isEqualTo(all);
    }

    private static Set<String> quoted(String cell) {
        return QUOTED.matcher(cell)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theTraceOfASubmissionReachesItsEffect() {
        InMemorySpanExporter exporter = InMemorySpanExporter.create();
        try (OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                        .build())
                .build()) {
            Monitor.traces(directory.resolve("semel.db"), sdk);
            assertThat(exporter.getFinishedSpanItems())
                    .extracting(SpanData::getName)
                    .containsExactly("submit mails", "effect send", "process mails");
            assertThat(exporter.getFinishedSpanItems())
                    .extracting(SpanData::getTraceId)
                    .containsOnly(exporter.getFinishedSpanItems().getFirst().getTraceId());
        }
    }
}
