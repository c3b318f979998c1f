package dev.semel.spring;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.engine.TaskContext;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A small application: orders in a database, each with a task that packs it. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement
class Shop {

    record Order(String id) {}

    static final TaskType<Order, String> PACK = TaskType.of("pack", Order.class, String.class);

    static final WorkflowType<Order, String> PROCESS = WorkflowType.of("process", Order.class, String.class);

    @Bean
    HikariDataSource dataSource(@Value("${url}") String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(6);
        return new HikariDataSource(config);
    }

    @Bean
    DataSourceTransactionManager transactionManager(DataSource source) {
        return new DataSourceTransactionManager(source);
    }

    @Bean
    TransactionTemplate transactionTemplate(PlatformTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    @Bean
    JdbcTemplate jdbcTemplate(DataSource source) {
        JdbcTemplate template = new JdbcTemplate(source);
        template.execute("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY)");
        return template;
    }

    @Bean
    WorkflowType<Order, String> process() {
        return PROCESS;
    }

    @Bean
    TaskType<Order, String> pack() {
        return PACK;
    }

    @Bean
    Packing packing() {
        return new Packing();
    }

    @Bean
    Orders orders(Semel semel, JdbcTemplate jdbc) {
        return new Orders(semel, jdbc);
    }

    /** Packs orders. */
    static class Packing {

        private final LinkedBlockingQueue<String> packed = new LinkedBlockingQueue<>();

        @TaskHandler("pack")
        String pack(Order order, TaskContext context) {
            packed.add(order.id());
            return "packed " + order.id() + " in attempt " + context.attempt();
        }

        @WorkflowCode("process")
        String process(Order order, Flow flow) {
            return flow.run(PACK, order) + " by workflow " + flow.id();
        }

        String next() throws InterruptedException {
            return packed.poll(60, TimeUnit.SECONDS);
        }
    }

    /** Writes orders. */
    static class Orders {

        private final Semel semel;
        private final JdbcTemplate jdbc;
        private final AtomicInteger bills = new AtomicInteger();

        Orders(Semel semel, JdbcTemplate jdbc) {
            this.semel = semel;
            this.jdbc = jdbc;
        }

        @Transactional
        public Submission<String> place(String id) {
            insert(id);
            return submit(id);
        }

        @Transactional
        public void placeAndFail(String id) {
            place(id);
            throw new IllegalStateException("no stock");
        }

        @Transactional
        @Idempotent(name = "bill", key = "#id")
        public String bill(String id, boolean fails) {
            insert("bill-" + id);
            if (fails) {
                throw new IllegalStateException("no paper");
            }
            return "bill " + bills.incrementAndGet();
        }

        @Idempotent(name = "greet", key = "#name")
        public void greet(String name) {
            bills.incrementAndGet();
        }

        @Transactional
        public Submission<String> process(String id, boolean fails) {
            insert(id);
            Submission<String> started = semel.start(PROCESS, "process-" + id, new Order(id));
            if (fails) {
                throw new IllegalStateException("no stock");
            }
            return started;
        }

        void insert(String id) {
            jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
        }

        Submission<String> submit(String id) {
            return semel.submit(PACK, new Order(id))
                    .idempotencyKey("pack-" + id)
                    .send();
        }

        int bills() {
            return bills.get();
        }

        List<String> all() {
            return jdbc.queryForList("SELECT id FROM orders ORDER BY id", String.class);
        }
    }
}
