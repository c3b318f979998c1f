package dev.semel.cli;

import dev.semel.Settings;
import dev.semel.server.SemelServer;
import dev.semel.server.http.ListenerSettings;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Serves a store over HTTP. */
final class ServerCommand implements Command {

    private static final int USUAL_PORT = 7_411;
    private static final Duration USUAL_GRACE = Duration.ofSeconds(30);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(
                this,
                "Serves the store over HTTP, for programs in any language.",
                "Listens on 127.0.0.1 and needs no token by default. Another address needs tokens: create them with \"semel token"
                        + " create\" and name their file with --tokens. Options override [server] in the configuration.",
                "semel server",
                "semel server --store postgresql://db/app --host 0.0.0.0 --tokens tokens.json",
                "semel server --certificate chain.pem --private-key key.pem --port 8443 --tokens tokens.json");
        return spec.addOption(Options.value("--host", "ADDRESS", "The address to listen on. Default: 127.0.0.1."))
                .addOption(Options.value("--port", "PORT", "The port; 0 for any free one. Default: 7411."))
                .addOption(Options.value("--tokens", "FILE", "The file of tokens. Default: no tokens."))
                .addOption(Options.value(
                        "--audit", "FILE", "Record operators' actions in this file. Default: only in the log."))
                .addOption(Options.value("--certificate", "FILE", "The certificate chain (PEM), for TLS."))
                .addOption(Options.value("--private-key", "FILE", "The private key of the certificate (PEM, PKCS 8)."))
                .addOption(Options.value(
                        "--grace", "DURATION", "How long to wait for requests after SIGTERM. Default: 30s."));
    }

    @Override
    public int run(Invocation invocation) {
        invocation.refuseTenant("A server serves all tenants, and a token names its own");
        Settings settings = invocation.settings();
        Settings.Listening configured = settings.listening();
        String host = invocation.text("--host", Objects.requireNonNullElse(configured.host(), "127.0.0.1"));
        ListenerSettings usual = ListenerSettings.plain(host, port(invocation, configured));
        ListenerSettings listener = new ListenerSettings(
                host,
                usual.port(),
                path(invocation, "--certificate", configured.certificate()),
                path(invocation, "--private-key", configured.privateKey()),
                usual.maxConnections(),
                usual.idleTimeout(),
                usual.headerTimeout(),
                usual.bodyTimeout(),
                Limits.duration(
                        "grace",
                        invocation.duration("--grace", Objects.requireNonNullElse(configured.grace(), USUAL_GRACE))));
        StoreUrl url = invocation.store();
        CountDownLatch closed = new CountDownLatch(1);
        SemelServer.Builder builder =
                SemelServer.on(url.open()).settings(settings).listen(listener);
        Path tokens = path(invocation, "--tokens", configured.tokens());
        if (tokens != null) {
            builder.tokens(tokens);
        }
        Path audit = path(invocation, "--audit", configured.audit());
        if (audit != null) {
            builder.audit(audit);
        }
        try (SemelServer server = builder.start();
                ShutdownHook hook = new ShutdownHook(() -> {
                    server.close();
                    closed.countDown();
                })) {
            String address = (listener.certificate() == null ? "http://" : "https://")
                    + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + server.port();
            invocation
                    .console()
                    .out()
                    .println(
                            invocation.json()
                                    ? new JsonText()
                                            .put("url", address)
                                            .put("store", url.toString())
                                            .put("tokens", tokens != null)
                                            .toString()
                                    : "Serving " + url + " on " + address + (tokens == null ? ", without tokens" : "")
                                            + ". Ctrl-C stops the server.");
            invocation.console().out().flush();
            closed.await();
            return ExitCode.DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    private static int port(Invocation invocation, Settings.Listening configured) {
        int port = invocation.number("--port", Objects.requireNonNullElse(configured.port(), USUAL_PORT));
        if (port < 0 || port > 65_535) {
            throw new InvalidInput("Option --port takes 1 to 65535, or 0 for any free port, but got \"" + port + "\".");
        }
        return port;
    }

    private static @Nullable Path path(Invocation invocation, String option, @Nullable String configured) {
        String given = invocation.text(option);
        String chosen = given == null ? configured : given;
        return chosen == null ? null : Path.of(chosen);
    }
}
