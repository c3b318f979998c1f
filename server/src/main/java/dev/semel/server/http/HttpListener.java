package dev.semel.server.http;

import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.io.IOException;
import java.util.List;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The open port. Jetty accepts and parses; everything else is ours, and no other class knows Jetty. */
public final class HttpListener implements AutoCloseable {

    private final Server server;
    private final ServerConnector connector;
    private final JettyHandler handler;
    private final BodyBudget budget = BodyBudget.standard();

    private HttpListener(ListenerSettings settings, Dispatcher dispatcher) {
        QueuedThreadPool threads = new QueuedThreadPool(16, 4);
        threads.setName("semel-http");
        threads.setVirtualThreadsExecutor(
                task -> Thread.ofVirtual().name("semel-request").start(task));
        // Not the pool: two runs of random requests read the text of a request as an answer, in one of them that of
        // another connection. SerialConnections removes a likely cause. A buffer that is never used again cannot carry
        // text to another connection, whatever else there may be.
        this.server = new Server(threads, null, new ByteBufferPool.NonPooling());
        this.handler = new JettyHandler(dispatcher, budget, settings);
        this.connector = new ServerConnector(server, 1, 1, factories(settings).toArray(ConnectionFactory[]::new));
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setIdleTimeout(settings.idleTimeout().toMillis());
        connector.setAcceptQueueSize(1_024);
        connector.addBean(new SlowHeaders(connector.getScheduler(), settings.headerTimeout()));
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(settings.maxConnections(), server));
        server.setHandler(new GracefulHandler(handler));
        server.setErrorHandler(HttpListener::error);
        server.setStopTimeout(settings.grace().toMillis());
    }

    /**
     * Opens the port.
     *
     * @param settings where to listen, and the limits
     * @param router the routes
     * @param authenticator who finds the caller of a request
     * @param log records every request
     * @param audit records operators' actions
     * @return the listener
     */
    public static HttpListener open(
            ListenerSettings settings, Router router, Authenticator authenticator, RequestLog log, Audit audit) {
        HttpListener listener = new HttpListener(settings, new Dispatcher(router, authenticator, log, audit));
        try {
            listener.server.start();
        } catch (IOException e) {
            listener.close();
            throw new InvalidInput(
                    "The server cannot listen on \"" + settings.host() + "\", port " + settings.port() + ": "
                            + e.getMessage() + ". Choose another address or port.",
                    e);
        } catch (Exception e) {
            listener.close();
            throw new StoreUnavailable("The server did not start: " + e.getMessage(), e);
        }
        return listener;
    }

    static List<ConnectionFactory> factories(ListenerSettings settings) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Without a pool, buffers on the heap are the cheap ones.
        http.setUseInputDirectByteBuffers(false);
        http.setUseOutputDirectByteBuffers(false);
        http.setRequestHeaderSize(ListenerSettings.HEADER_BYTES);
        // A name in a path may contain a slash, which is sent as %2F. We split the path before we decode it.
        http.setUriCompliance(UriCompliance.DEFAULT.with(
                "semel",
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
        HttpConnectionFactory plain = new SerialConnections(http);
        return settings.certificate() == null || settings.privateKey() == null
                ? List.of(plain)
                : List.of(
                        new SslConnectionFactory(
                                PemFiles.factory(settings.certificate(), settings.privateKey()), plain.getProtocol()),
                        plain);
    }

    /** {@return the port that is listened on} */
    public int port() {
        return connector.getLocalPort();
    }

    /** {@return how many requests are being answered} */
    public int running() {
        return handler.running();
    }

    /** {@return how many bytes of bodies are in memory} */
    public long bodyBytes() {
        return budget.used();
    }

    /** {@return how many connections are open} */
    public int connections() {
        return connector.getConnectedEndPoints().size();
    }

    /** Stops accepting, waits for the requests that were accepted, as long as the settings say, and closes the port. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            // The grace period has passed, or the server never started. Either way the port is closed now.
            server.destroy();
        }
    }

    // What Jetty rejects by itself, before there is a request of ours: a bad request line, too large headers, a
    // timeout.
    private static boolean error(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        Problem problem = new Problem(
                status,
                switch (status) {
                    case HttpStatus.URI_TOO_LONG_414, HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                        "header-too-large";
                    case HttpStatus.REQUEST_TIMEOUT_408 -> "too-slow";
                    case HttpStatus.SERVICE_UNAVAILABLE_503 -> "shutting-down";
                    default -> status >= 500 ? "internal-error" : "malformed-request";
                },
                switch (status) {
                    case HttpStatus.URI_TOO_LONG_414, HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                        "The header of a request has at most " + ListenerSettings.HEADER_BYTES
                                + " bytes, its first line included, but got more.";
                    case HttpStatus.SERVICE_UNAVAILABLE_503 ->
                        "The server is shutting down. Send the same request again.";
                    default -> status >= 500 ? "The server failed. Report it." : "The request does not follow HTTP.";
                });
        Reply reply = problem.reply(null);
        response.getHeaders().put("Content-Type", "application/problem+json");
        if (status == HttpStatus.SERVICE_UNAVAILABLE_503) {
            response.getHeaders().put("Retry-After", "1");
        }
        response.write(true, java.nio.ByteBuffer.wrap(reply.body()), callback);
        return true;
    }
}
