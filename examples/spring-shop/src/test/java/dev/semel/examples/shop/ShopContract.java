package dev.semel.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.metrics.Metric;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The whole shop, over HTTP. Its worker polls once an hour, so a task that starts was announced by the commit of its
 * order.
 */
@Timeout(300)
abstract class ShopContract {

    private static final Logger LOG = LoggerFactory.getLogger(ShopContract.class);
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");
    private static final Pattern LABEL = Pattern.compile("[{,]([a-z_]+)=\"");
    private static final String MORNING = "every-morning";
    private static final String BOOK = "{\"item\":\"book\",\"cents\":1200}";

    private final HttpClient http = HttpClient.newHttpClient();
    private ConfigurableApplicationContext shop;
    private Bank bank;

    /** Returns the JDBC URL of an empty database. */
    abstract String freshDatabase();

    @BeforeEach
    void open() {
        shop = new SpringApplicationBuilder(ShopApplication.class)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=" + freshDatabase(),
                        "--semel.worker.poll=1h",
                        "--semel.metrics.depths=1s",
                        "--spring.main.banner-mode=off");
        bank = shop.getBean(Bank.class);
        // Its tick must not come in the middle of a test that counts tasks.
        shop.getBean(Semel.class).schedules().pause(MORNING, "a test");
    }

    @AfterEach
    void close() {
        http.close();
        shop.close();
    }

    @Test
    void anOrderThatCommitsStartsItsTaskAtOnce() throws Exception {
        post("warm-up", BOOK);
        assertThat(bank.nextCall()).isNotNull();
        List<Long> starts = new ArrayList<>();
        List<Long> calls = new ArrayList<>();
        double before = waited();
        for (int i = 1; i <= 20; i++) {
            HttpResponse<String> order = post("order-" + i, BOOK);
            long answered = System.nanoTime();
            assertThat(order.statusCode()).isEqualTo(201);
            Bank.Call call = bank.nextCall();
            assertThat(call).as("a charge long before the next poll").isNotNull();
            calls.add(TimeUnit.NANOSECONDS.toMillis(call.nanos() - answered));
            double until = waited();
            starts.add(Math.round(until - before));
            before = until;
        }
        // Logged, not asserted: on a busy machine it says more about the machine. The handler starts when its task is
        // due,
        // which is before the commit; the bank is called after another commit, that of the effect's intent.
        LOG.info(
                "Order to start of its handler: boot={} median={} ms slowest={} ms; answer to call of the bank: median={} ms slowest={} ms",
                SpringBootVersion.getVersion(),
                median(starts),
                Collections.max(starts),
                median(calls),
                Collections.max(calls));
    }

    /** The time from due to start of all handlers so far, in milliseconds. */
    private double waited() {
        return shop.getBean(MeterRegistry.class)
                .get(Metric.WAIT.id())
                .tag("type", ShopApplication.CHARGE.name())
                .timer()
                .totalTime(TimeUnit.MILLISECONDS);
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    @Test
    void anOrderIsPaid() throws Exception {
        HttpResponse<String> order = post("order-1", BOOK);
        TaskId task = onlyTask();
        shop.getBean(Semel.class).handle(ShopApplication.CHARGE, task).result(Duration.ofSeconds(60));
        assertThat(get("/orders/" + id(order)).body()).contains("\"payment\":\"payment-");
        assertThat(get("/orders/unknown").statusCode()).isEqualTo(404);
    }

    @Test
    void anOrderThatRollsBackLeavesNoTask() throws Exception {
        String unicorn = "{\"item\":\"unicorn\",\"cents\":99}";
        assertThat(post("order-1", unicorn).statusCode()).isEqualTo(410);
        assertThat(orders()).isZero();
        assertThat(tasks()).isZero();
        // Nothing remembers the request either: it succeeds as soon as there is stock.
        shop.getBean(JdbcTemplate.class).update("UPDATE stock SET pieces = 1 WHERE item = 'unicorn'");
        assertThat(post("order-1", unicorn).statusCode()).isEqualTo(201);
        assertThat(bank.nextCall()).extracting(Bank.Call::cents).isEqualTo(99L);
        assertThat(orders()).isOne();
        assertThat(tasks()).isOne();
    }

    @Test
    void aDuplicateRequestGetsTheFirstAnswer() throws Exception {
        HttpResponse<String> first = post("order-1", BOOK);
        HttpResponse<String> again = post("order-1", BOOK);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(post("order-1", "{\"item\":\"book\",\"cents\":1}").statusCode())
                .isEqualTo(422);
        assertThat(orders()).isOne();
        assertThat(tasks()).isOne();
        assertThat(bank.nextCall()).isNotNull();
        assertThat(bank.charges()).isOne();
    }

    @Test
    void theActuatorShowsSemel() throws Exception {
        assertThat(get("/actuator/health").body()).contains("\"semel\":{").contains("charge_order");
        // Later, so that it is still there when the endpoint looks.
        shop.getBean(Semel.class)
                .submit(ShopApplication.CHARGE, new ShopApplication.Charge("none", 1))
                .delay(Duration.ofHours(1))
                .send();
        assertThat(get("/actuator/semel").body())
                .contains("\"payments\":{")
                .contains("\"delayed\":1")
                .contains("\"charge_order\"");
    }

    @Test
    void aScheduleThatIsABeanCreatesTasks() {
        Semel semel = shop.getBean(Semel.class);
        assertThat(semel.schedules().next(MORNING, 2)).hasSize(2);
        TaskId task = semel.schedules().trigger(MORNING, false);
        assertThat(semel.handle(Summaries.COUNT, task)
                        .result(Duration.ofSeconds(60))
                        .orders())
                .isZero();
    }

    @Test
    void aScrapeOfPrometheusHasEveryMetricAndNoIds() throws Exception {
        HttpResponse<String> order = post("order-1", BOOK);
        TaskId task = onlyTask();
        shop.getBean(Semel.class).handle(ShopApplication.CHARGE, task).result(Duration.ofSeconds(60));
        List<String> expected = Stream.of(Metric.values())
                .flatMap(metric -> metric.series().stream())
                .toList();
        // What the worker reports of a task may come after the task's result, and the first reading of depths later
        // still.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> series(scrape()).keySet().containsAll(expected));
        String scrape = scrape();
        Map<String, Set<String>> series = series(scrape);
        assertThat(series).containsKeys("idempotency_check_total", "idempotency_check_duration_seconds_count");
        assertThat(series.values().stream().flatMap(Set::stream).distinct())
                .isSubsetOf("queue", "type", "result", "outcome", "write", "state", "call", "what", "le");
        assertThat(scrape.lines().filter(line -> line.startsWith("semel_")))
                .noneMatch(
                        line -> line.contains(task.toString()) || line.contains(id(order)) || line.contains("order-1"));
    }

    private String scrape() throws Exception {
        return get("/actuator/prometheus").body();
    }

    /** Returns the names of Semel's series with those of their labels. */
    private static Map<String, Set<String>> series(String scrape) {
        Map<String, Set<String>> series = new TreeMap<>();
        for (String line : scrape.lines()
                .filter(each -> each.startsWith("semel_") || each.startsWith("idempotency_"))
                .toList()) {
            Set<String> labels = series.computeIfAbsent(line.split("[{ ]", 2)[0], name -> new TreeSet<>());
            Matcher label = LABEL.matcher(line);
            while (label.find()) {
                labels.add(label.group(1));
            }
        }
        return series;
    }

    private HttpResponse<String> post(String key, String body) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri("/orders"))
                        .header("Idempotency-Key", key)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + shop.getEnvironment().getProperty("local.server.port") + path);
    }

    private static String id(HttpResponse<String> order) {
        Matcher matcher = ID.matcher(order.body());
        assertThat(matcher.find()).as("id in %s", order.body()).isTrue();
        return matcher.group(1);
    }

    private int orders() {
        return shop.getBean(JdbcTemplate.class).queryForObject("SELECT count(*) FROM orders", Integer.class);
    }

    private int tasks() {
        return shop.getBean(TaskStore.class).list(TaskQuery.all(100)).tasks().size();
    }

    private TaskId onlyTask() {
        return shop.getBean(TaskStore.class)
                .list(TaskQuery.all(2))
                .tasks()
                .getFirst()
                .id();
    }
}
