package dev.semel.server.http;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** From a received request to its reply: route, caller, scopes, handler; and every exception becomes a problem. */
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final Router router;
    private final Authenticator authenticator;
    private final RequestLog log;
    private final Audit audit;

    Dispatcher(Router router, Authenticator authenticator, RequestLog log, Audit audit) {
        this.router = router;
        this.authenticator = authenticator;
        this.log = log;
        this.audit = audit;
    }

    /** What was received, before anything is known about it. */
    interface Received {
        String id();

        String method();

        String path();

        Optional<String> query();

        Optional<String> header(String name);

        byte[] body(int maxBytes);
    }

    /** The reply, and what the log will say about it. */
    record Answer(Reply reply, String caller, String route) {}

    Answer answer(Received received) {
        String caller = "-";
        String route = "-";
        try (MDC.MDCCloseable closed = MDC.putCloseable("request_id", received.id())) {
            Router.Match match = router.find(received.method(), received.path());
            route = match.route().path();
            Function<String, Optional<String>> headers = received::header;
            Caller known = match.route().anyOf().isEmpty() ? ANYBODY : authenticator.caller(headers);
            caller = known.name();
            checkScopes(match.route(), known);
            RoutedRequest request = new RoutedRequest(received, match.parameters(), known);
            Reply reply = match.route().isOperation() && known.scopes().contains(TokenScope.ADMIN)
                    ? operate(match.route(), request)
                    : match.route().handler().handle(request);
            return new Answer(reply, caller, route);
        } catch (Throwable e) {
            return new Answer(failed(e, received).reply(received.id()), caller, route);
        }
    }

    /** Carries out an operator's action between the two entries of the audit log. */
    private Reply operate(Route route, RoutedRequest request) {
        Caller caller = request.caller();
        Audit.Action action =
                new Audit.Action(request.id(), caller.name(), caller.tenant(), route.toString(), request.target());
        audit.started(action);
        int status = 500;
        try {
            Reply reply = route.handler().handle(request);
            status = reply.status();
            return reply;
        } catch (Throwable e) {
            status = Problems.of(e).status();
            throw e;
        } finally {
            audit.ended(action, status, request.details());
        }
    }

    private static final Caller ANYBODY = new Caller("-", null, java.util.Set.of());

    private static void checkScopes(Route route, Caller caller) {
        if (!route.anyOf().isEmpty() && route.anyOf().stream().noneMatch(caller.scopes()::contains)) {
            String needed = route.anyOf().stream()
                    .sorted()
                    .map(TokenScope::word)
                    .reduce((a, b) -> a + " or " + b)
                    .orElse("");
            throw new Problem(
                    403,
                    "scope-missing",
                    "This route needs a token with the scope " + needed + ", and this one has not.");
        }
    }

    private static Problem failed(Throwable thrown, Dispatcher.Received received) {
        Problem problem = Problems.of(thrown);
        if (problem.status() >= 500) {
            LOG.error("Request failed: method={} status={}", received.method(), problem.status(), thrown);
        }
        return problem;
    }

    void note(Received received, Answer answer, int status, long nanos) {
        try {
            log.note(new RequestLog.Entry(
                    received.id(), answer.caller(), received.method(), answer.route(), status, nanos));
        } catch (RuntimeException e) {
            LOG.warn("Request log failed", e);
        }
    }

    /** A request whose route and caller are known. */
    private static final class RoutedRequest implements Request {

        private final Received received;
        private final Map<String, String> parameters;
        private final Map<String, String> queries;
        private final Caller caller;
        private String details = "";

        RoutedRequest(Received received, Map<String, String> parameters, Caller caller) {
            this.received = received;
            this.parameters = parameters;
            this.queries = UrlText.queries(received.query().orElse(null));
            this.caller = caller;
        }

        @Override
        public String method() {
            return received.method();
        }

        @Override
        public String path() {
            return received.path();
        }

        @Override
        public String parameter(String name) {
            String value = parameters.get(name);
            if (value == null) {
                throw new IllegalArgumentException("Expected a parameter of the route, but got " + name);
            }
            return value;
        }

        @Override
        public Optional<String> query(String name) {
            return Optional.ofNullable(queries.get(name));
        }

        @Override
        public void allowQueries(String... names) {
            for (String name : queries.keySet()) {
                if (!java.util.Set.of(names).contains(name)) {
                    throw new Problem(
                            400,
                            "invalid-input",
                            "The query of this path knows "
                                    + (names.length == 0 ? "no parameters" : String.join(", ", names)) + ", but got \""
                                    + dev.semel.task.Limits.shown(name) + "\". Check the spelling.");
                }
            }
        }

        @Override
        public Optional<String> header(String name) {
            return received.header(name);
        }

        @Override
        public byte[] body(int maxBytes) {
            return received.body(maxBytes);
        }

        @Override
        public String text(int maxBytes) {
            String type = header("Content-Type").orElse("");
            String plain = type.split(";", 2)[0].strip();
            // A web page of another origin cannot send this type without asking first, so it cannot misuse a browser.
            if (!plain.equalsIgnoreCase("application/json")) {
                throw new Problem(
                        415,
                        "unsupported-media-type",
                        "The body is sent with Content-Type: application/json, but got \""
                                + dev.semel.task.Limits.shown(plain) + "\".");
            }
            return UrlText.utf8(received.body(maxBytes), "body");
        }

        @Override
        public Caller caller() {
            return caller;
        }

        @Override
        public void audit(String more) {
            details = more;
        }

        String details() {
            return details;
        }

        /** Returns what the path and the query name. */
        String target() {
            Map<String, String> named = new TreeMap<>(parameters);
            named.putAll(queries);
            return named.entrySet().stream()
                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                    .collect(Collectors.joining(" "));
        }

        @Override
        public String id() {
            return received.id();
        }
    }
}
