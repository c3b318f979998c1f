package dev.semel.cli;

import dev.semel.cli.Checkup.Finding;
import dev.semel.cli.Checkup.Verdict;
import dev.semel.s3.S3Settings;
import dev.semel.s3.S3Trial;
import dev.semel.task.SemelException;
import java.time.Duration;
import java.util.List;

/** The checks of {@code semel doctor} on an object service. They leave nothing behind. */
final class ObjectInspection {

    // A service refuses signatures that are 15 minutes off; the client corrects that, but leases are measured too.
    private static final Duration CLOSE = Duration.ofSeconds(5);

    private ObjectInspection() {}

    static List<Finding> of(String url) {
        S3Settings settings = S3Settings.of(url);
        try {
            S3Trial trial = S3Trial.of(settings);
            boolean close = trial.ahead().abs().compareTo(CLOSE) <= 0;
            return List.of(
                    new Finding("bucket answers", Verdict.OK, settings.toString(), null),
                    new Finding(
                            "create if absent",
                            trial.passed() ? Verdict.OK : Verdict.FAIL,
                            trial.finding(),
                            trial.passed()
                                    ? null
                                    : "Two programs could take the same task. Use a service whose conditional writes are"
                                            + " atomic."),
                    new Finding(
                            "earlier trial",
                            Verdict.OK,
                            trial.remembered()
                                    ? "the prefix remembers one that passed"
                                    : "none; the first program that opens the prefix tries it out",
                            null),
                    new Finding(
                            "clock of the service",
                            close ? Verdict.OK : Verdict.WARN,
                            close
                                    ? "agrees with this machine's"
                                    : "this machine is "
                                            + Text.span(trial.ahead().abs())
                                            + (trial.ahead().isNegative() ? " behind" : " ahead"),
                            close ? null : "Correct this machine's clock (NTP)."));
        } catch (SemelException e) {
            return List.of(
                    new Finding("bucket answers", Verdict.FAIL, String.valueOf(e.getMessage()), "See the message."));
        }
    }
}
