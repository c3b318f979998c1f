package dev.semel.server;

import dev.semel.server.api.Audit;
import dev.semel.server.http.RequestLog;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes requests and operators' actions to the log, and counts requests. */
final class ServerLog implements RequestLog, Audit {

    private static final Logger REQUESTS = LoggerFactory.getLogger("dev.semel.server.requests");
    private static final Logger ACTIONS = LoggerFactory.getLogger("dev.semel.server.audit");

    private final MeterRegistry registry;

    ServerLog(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void note(RequestLog.Entry entry) {
        registry.timer(
                        "semel.http.requests",
                        "method",
                        entry.route().equals("-") ? "-" : entry.method(),
                        "route",
                        entry.route(),
                        "status",
                        Integer.toString(entry.status()))
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
    public void note(Audit.Entry entry) {
        ACTIONS.info(
                "Operator action: request_id={} caller={} tenant={} action={} what={}",
                entry.request(),
                entry.caller(),
                entry.tenant() == null ? "*" : entry.tenant(),
                entry.action(),
                entry.what());
    }
}
