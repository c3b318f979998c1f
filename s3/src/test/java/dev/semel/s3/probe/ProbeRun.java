package dev.semel.s3.probe;

import dev.semel.s3.RealServer;
import dev.semel.s3.S3Settings;
import dev.semel.testservers.S3Server;
import java.net.URI;
import java.util.Locale;

/**
 * Tries out a service that somebody else has started, as often as its second argument says, and prints how often it was refused.
 * Not part of the build: {@code java -cp … dev.semel.s3.probe.ProbeRun http://127.0.0.1:9090 20} on the class path of the tests.
 * Without arguments the server of the tests is tried out. The bucket {@code semel-test} must exist.
 */
final class ProbeRun {

    private static final int TRIALS = 20;

    private ProbeRun() {}

    /**
     * Runs the trials.
     *
     * @param arguments the endpoint and the number of trials
     */
    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            try (S3Server server = S3Server.start()) {
                run(server.endpoint(), TRIALS);
            }
        } else {
            run(URI.create(arguments[0]), Integer.parseInt(arguments[1]));
        }
    }

    private static void run(URI endpoint, int trials) {
        int refused = 0;
        for (int i = 1; i <= trials; i++) {
            S3Settings settings = RealServer.settings(endpoint, "trial-" + i);
            long began = System.nanoTime();
            Probe.Report report = Probe.run(settings::service);
            refused += report.passed() ? 0 : 1;
            System.out.printf(
                    Locale.ROOT,
                    "trial %d: %s, %d ms: %s%n",
                    i,
                    report.passed() ? "passed" : "refused",
                    (System.nanoTime() - began) / 1_000_000,
                    report.finding());
        }
        System.out.printf(Locale.ROOT, "refused %d of %d%n", refused, trials);
    }
}
