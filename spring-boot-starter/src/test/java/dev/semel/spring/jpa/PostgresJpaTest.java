package dev.semel.spring.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.spring.Idempotent;
import dev.semel.spring.TaskHandler;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Submissions and guarded calls in transactions of JPA, in an application that has {@code spring-boot-starter-data-jpa} and
 * configures nothing, on a real PostgreSQL. Hibernate itself has no dialect for SQLite. The worker polls once an hour, so a task that starts was announced by the commit.
 */
@Timeout(300)
class PostgresJpaTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final TaskType<String, String> PACK = TaskType.of("pack", String.class, String.class);

    private ConfigurableApplicationContext context;
    private Shop shop;

    private static String freshDatabase() {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        return "jdbc:postgresql://127.0.0.1:" + database.getPortNumbers()[0] + "/" + database.getDatabaseName()
                + "?user=postgres";
    }

    @Configuration(proxyBeanMethods = false)
    // On Boot 3 the class path of this module has the health of Boot 4, for its classes only.
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration",
                "org.springframework.boot.health.autoconfigure.application.DiskSpaceHealthContributorAutoConfiguration",
                "org.springframework.boot.health.autoconfigure.application.SslHealthContributorAutoConfiguration",
                "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration",
                "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration"
            })
    static class Application {

        @Bean
        TaskType<String, String> pack() {
            return PACK;
        }

        @Bean
        Shop shop(Semel semel, JpaOrders orders) {
            return new Shop(semel, orders);
        }

        @Bean
        Packing packing(JpaOrders orders) {
            return new Packing(orders);
        }
    }

    static class Packing {

        private final JpaOrders orders;

        Packing(JpaOrders orders) {
            this.orders = orders;
        }

        /** Reads what the transaction of the submission wrote. */
        @TaskHandler("pack")
        String pack(String id) {
            return "packed " + orders.findById(id).orElseThrow().number();
        }
    }

    static class Shop {

        private final Semel semel;
        private final JpaOrders orders;

        Shop(Semel semel, JpaOrders orders) {
            this.semel = semel;
            this.orders = orders;
        }

        @Transactional
        public Submission<String> place(String id, String number) {
            orders.save(new JpaOrder(id, number));
            return submit(id);
        }

        @Transactional
        public Submission<String> submitFirst(String id, String number) {
            Submission<String> submitted = submit(id);
            orders.save(new JpaOrder(id, number));
            return submitted;
        }

        @Transactional
        @Idempotent(name = "bill", key = "#id")
        public String bill(String id) {
            orders.save(new JpaOrder(id, "bill " + id));
            return "bill " + orders.count();
        }

        Submission<String> submit(String id) {
            return semel.submit(PACK, id).idempotencyKey("pack-" + id).send();
        }
    }

    @BeforeEach
    void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + freshDatabase(),
                        "spring.jpa.hibernate.ddl-auto=create",
                        "semel.worker.poll=1h",
                        "semel.worker.keep-alive=false")
                .run();
        assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
        shop = context.getBean(Shop.class);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void aTaskStartsWhenTheTransactionOfItsEntityCommits() {
        assertThat(shop.place("1", "A").result(LONG)).isEqualTo("packed A");
        assertThat(shop.submitFirst("2", "B").result(LONG)).isEqualTo("packed B");
    }

    @Test
    void aTransactionThatFailsWhenItsEntitiesAreFlushedLeavesNoTask() {
        assertThat(shop.place("1", "A").result(LONG)).isEqualTo("packed A");
        // Hibernate writes at the commit, after the submission: the number is taken, and both are rolled back.
        assertThatThrownBy(() -> shop.place("2", "A")).isInstanceOf(DataIntegrityViolationException.class);
        assertThat(context.getBean(JpaOrders.class).count()).isOne();
        assertThat(tasks()).isOne();
        // The key is free again.
        assertThat(shop.place("2", "B").created()).isTrue();
    }

    @Test
    void aTransactionThatRollsBackLeavesNeitherEntityNorTask() {
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> {
            shop.place("1", "A");
            status.setRollbackOnly();
        });
        assertThat(context.getBean(JpaOrders.class).count()).isZero();
        assertThat(tasks()).isZero();
    }

    @Test
    void aGuardedMethodRunsOnceInItsTransaction() {
        assertThat(shop.bill("1")).isEqualTo("bill 1");
        assertThat(shop.bill("1")).isEqualTo("bill 1");
        assertThat(context.getBean(JpaOrders.class).count()).isOne();
    }

    private int tasks() {
        return context.getBean(TaskStore.class).list(TaskQuery.all(100)).tasks().size();
    }
}
