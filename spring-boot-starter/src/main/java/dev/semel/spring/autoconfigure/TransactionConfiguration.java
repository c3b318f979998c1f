package dev.semel.spring.autoconfigure;

import dev.semel.TransactionLookup;
import dev.semel.spring.guard.GuardTransactions;
import dev.semel.spring.transaction.SpringTransactions;
import dev.semel.spring.transaction.TargetDataSource;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Submissions and guarded calls that join the application's transactions. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConnectionHolder.class)
@ConditionalOnProperty(prefix = "semel", name = "join", havingValue = "always", matchIfMissing = true)
@ConditionalOnMissingBean(TransactionLookup.class)
class TransactionConfiguration {

    @Bean
    SpringTransactions semelTransactions(ObjectProvider<Storage> storages, ObjectProvider<DataSource> sources) {
        Storage storage = storages.getIfAvailable();
        if (storage != null) {
            return new SpringTransactions(storage.source());
        }
        // A store that is a bean of the application: most likely it is in the application's only data source, and if
        // not, it rejects the connection.
        DataSource only = sources.getIfUnique();
        return new SpringTransactions(only == null ? null : TargetDataSource.of(only));
    }

    @Bean
    @ConditionalOnMissingBean
    GuardTransactions semelGuardTransactions(SpringTransactions transactions) {
        return transactions::connection;
    }

    /** Adds the listener to every transaction manager, those of the application's own included. */
    @Bean
    SmartInitializingSingleton semelTransactionListener(
            SpringTransactions transactions, @Lazy ObjectProvider<ConfigurableTransactionManager> managers) {
        return () -> managers.stream().forEach(manager -> manager.addListener(transactions));
    }
}
