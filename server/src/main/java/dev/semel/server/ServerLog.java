package dev.semel.server;

import dev.semel.server.audit.AuditFile;
import dev.semel.server.http.Audit;
import dev.semel.server.http.RequestLog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes requests and operators' actions to the log, and counts requests. Actions go to a file too if there is one. */
final class ServerLog implements RequestLog, Audit {

    private static final Logger REQUESTS = LoggerFactory.getLogger("dev.semel.server.requests");
    private static final Logger ACTIONS = LoggerFactory.getLogger("dev.semel.server.audit");

    private final MeterRegistry registry;
    private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();
    private final @Nullable AuditFile file;

    ServerLog(MeterRegistry registry, @Nullable AuditFile file) {
        this.registry = registry;
        this.file = file;
    }

    /** What requests are counted by. */
    private record Kind(String method, String route, int status) {}

    private Timer timer(Kind kind) {
        return registry.timer(
                "semel.http.requests",
                "method",
                kind.method(),
                "route",
                kind.route(),
                "status",
                Integer.toString(kind.status()));
    }

    @Override
    public void note(RequestLog.Entry entry) {
        // The registry would build its tags anew for each request.
        timers.computeIfAbsent(
                        new Kind(entry.route().equals("-") ? "-" : entry.method(), entry.route(), entry.status()),
                        this::timer)
                .record(entry.nanos(), TimeUnit.NANOSECONDS);
        if (REQUESTS.isDebugEnabled()) {
            REQUESTS.debug(
                    "Request answered: request_id={} caller={} method={} route={} status={} millis={}",
                    entry.id(),
                    entry.caller(),
                    entry.method(),
                    entry.route(),
                    entry.status(),
                    TimeUnit.NANOSECONDS.toMillis(entry.nanos()));
        }
    }

    @Override
    public void started(Audit.Action action) {
        if (file != null) {
            file.started(action);
        }
    }

    @Override
    public void ended(Audit.Action action, int status, String details) {
        ACTIONS.info(
                "Operator action: request_id={} caller={} tenant={} action=\"{}\" target=\"{}\" status={} details=\"{}\"",
                action.request(),
                action.caller(),
                action.tenant() == null ? "*" : action.tenant(),
                action.name(),
                action.target(),
                status,
                details);
        if (file != null) {
            file.ended(action, status, details);
        }
    }
}
