package dev.semel.spring.transaction;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The data source behind a proxy that takes part in transactions by itself. */
public final class TargetDataSource {

    private TargetDataSource() {}

    /**
     * Returns the data source under which transaction managers bind connections. Semel's own operations must not use
     * the proxy, because they would become part of the application's transactions.
     *
     * @param source a data source of the application
     * @return its target, or itself
     */
    public static DataSource of(DataSource source) {
        DataSource found = source;
        while (found instanceof TransactionAwareDataSourceProxy proxy) {
            @Nullable DataSource target = proxy.getTargetDataSource();
            if (target == null) {
                return found;
            }
            found = target;
        }
        return found;
    }
}
