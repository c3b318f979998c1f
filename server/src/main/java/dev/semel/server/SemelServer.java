package dev.semel.server;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.metrics.MicrometerMetrics;
import dev.semel.server.api.ApiRoutes;
import dev.semel.server.api.Backend;
import dev.semel.server.api.OpenApi;
import dev.semel.server.audit.AuditFile;
import dev.semel.server.http.Authenticator;
import dev.semel.server.http.HttpListener;
import dev.semel.server.http.ListenerSettings;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Route;
import dev.semel.server.http.Router;
import dev.semel.server.limit.LimitedTaskStore;
import dev.semel.server.limit.TenantAdmission;
import dev.semel.server.limit.TenantLimits;
import dev.semel.server.store.StoreRoutes;
import dev.semel.server.tenant.Stores;
import dev.semel.server.token.LocalAuthenticator;
import dev.semel.server.token.TenantHeader;
import dev.semel.server.token.TokenAuthenticator;
import dev.semel.server.token.TokenFile;
import dev.semel.server.token.WatchedTokenFile;
import dev.semel.server.wait.LongPolls;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A store of tasks behind HTTP. */
public final class SemelServer implements AutoCloseable {

    private final Semel semel;
    private final LongPolls polls;
    private final StoreRoutes storeRoutes;
    private final List<Route> routes;
    private final HttpListener listener;
    private final PrometheusMeterRegistry registry;
    private final @Nullable AuditFile audit;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SemelServer(Builder builder) {
        WatchedTokenFile tokens = tokens(builder);
        Authenticator authenticator =
                new TenantHeader(tokens == null ? new LocalAuthenticator() : new TokenAuthenticator(tokens));
        this.registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        this.audit = builder.audit == null ? null : AuditFile.open(builder.audit, builder.clock);
        ServerLog log = new ServerLog(registry, audit);
        this.semel = Semel.on(builder.store)
                .settings(builder.settings)
                .metrics(new MicrometerMetrics(registry))
                .withoutShutdownHook()
                .build();
        this.polls = new LongPolls(builder.store);
        TenantAdmission admission = new TenantAdmission(
                builder.store,
                tenant -> tokens == null ? TenantLimits.NONE : tokens.limits(tenant),
                registry,
                System::nanoTime);
        Stores stores = new Stores(new LimitedTaskStore(builder.store, admission));
        Backend backend = new Backend(semel, stores, polls, admission);
        List<Route> all = new ArrayList<>();
        all.addAll(ApiRoutes.of(backend, registry::scrape, admission::json));
        this.storeRoutes = new StoreRoutes(stores);
        all.addAll(storeRoutes.routes());
        all.add(Route.of("GET", "/v1/openapi.json", request -> Reply.json(OpenApi.of(routes()))));
        this.routes = List.copyOf(all);
        try {
            this.listener = HttpListener.open(builder.listener, new Router(routes), authenticator, log, log);
        } catch (RuntimeException e) {
            polls.close();
            semel.close();
            closeAudit();
            throw e;
        }
        semel.startMaintenance();
    }

    private static @Nullable WatchedTokenFile tokens(Builder builder) {
        Path tokens = builder.tokens;
        if (tokens != null) {
            return new WatchedTokenFile(new TokenFile(tokens, builder.clock));
        }
        if (!isLoopback(builder.listener.host())) {
            throw new InvalidInput("A server without tokens listens on a loopback address, but got \""
                    + Limits.shown(builder.listener.host())
                    + "\". Create tokens with \"semel token create\" and name their file, or listen on 127.0.0.1.");
        }
        return null;
    }

    private static boolean isLoopback(String host) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException e) {
            throw new InvalidInput("The address \"" + Limits.shown(host) + "\" is not known. Choose another one.", e);
        }
    }

    /**
     * Begins the settings of a server.
     *
     * @param store the store, which the server closes when it is closed
     * @return the settings
     */
    public static Builder on(TaskStore store) {
        return new Builder(Limits.notNull("store", store));
    }

    /** {@return the port that is listened on} */
    public int port() {
        return listener.port();
    }

    /** {@return all routes} */
    public List<Route> routes() {
        return routes;
    }

    /** {@return how many requests are being answered} */
    public int running() {
        return listener.running();
    }

    /** {@return how many connections are open} */
    public int connections() {
        return listener.connections();
    }

    /** Lets requests that wait go, finishes the others, closes the port and then the store. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        polls.close();
        storeRoutes.close();
        listener.close();
        semel.close();
        registry.close();
        closeAudit();
    }

    private void closeAudit() {
        if (audit != null) {
            audit.close();
        }
    }

    /** Settings of a server. */
    public static final class Builder {

        private final TaskStore store;
        private Settings settings = Settings.NONE;
        private ListenerSettings listener = ListenerSettings.plain("127.0.0.1", 7_411);
        private @Nullable Path tokens;
        private @Nullable Path audit;
        private InstantSource clock = InstantSource.system();

        private Builder(TaskStore store) {
            this.store = store;
        }

        /**
         * Sets the configuration of types, queues and cleaning.
         *
         * @param configured the configuration
         * @return this
         */
        public Builder settings(Settings configured) {
            this.settings = Limits.notNull("configuration", configured);
            return this;
        }

        /**
         * Sets where to listen. By default port 7411 of 127.0.0.1.
         *
         * @param where the address, and the limits
         * @return this
         */
        public Builder listen(ListenerSettings where) {
            this.listener = Limits.notNull("settings of the listener", where);
            return this;
        }

        /**
         * Requires tokens.
         *
         * @param file the file with their hashes
         * @return this
         */
        public Builder tokens(Path file) {
            this.tokens = Limits.notNull("file of tokens", file);
            return this;
        }

        /**
         * Records operators' actions in a file. By default they are only logged.
         *
         * @param file the file, which no other server may use
         * @return this
         */
        public Builder audit(Path file) {
            this.audit = Limits.notNull("file of the audit log", file);
            return this;
        }

        /**
         * Sets the clock that decides about the expiry of tokens, and that times the audit log.
         *
         * @param other the clock
         * @return this
         */
        public Builder clock(InstantSource other) {
            this.clock = Limits.notNull("clock", other);
            return this;
        }

        /**
         * Opens the port. If that fails, the store is closed.
         *
         * @return the server
         */
        public SemelServer start() {
            try {
                return new SemelServer(this);
            } catch (RuntimeException e) {
                store.close();
                throw e;
            }
        }
    }
}
