package dev.semel.s3;

import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.probe.Probe;
import dev.semel.task.Limits;
import java.time.Duration;

/**
 * What a trial of an object service has shown: whether it can be relied on, and how its clock compares.
 *
 * @param passed whether it creates an object only if it is absent
 * @param finding one sentence
 * @param remembered whether the prefix remembered an earlier trial that passed
 * @param ahead how far this machine's clock is ahead of the service's, to the second; negative if it is behind
 */
public record S3Trial(boolean passed, String finding, boolean remembered, Duration ahead) {

    /**
     * Tries out the service of a prefix, whether or not that was done before. The prefix remembers nothing of it.
     *
     * @param settings where
     * @return what was seen
     * @throws dev.semel.task.StoreUnusable if the credentials, the bucket or the region are wrong
     * @throws dev.semel.task.StoreUnavailable if the service does not answer
     */
    public static S3Trial of(S3Settings settings) {
        try (ObjectStore objects = Limits.notNull("settings", settings).objects()) {
            Listing answer = objects.list("semel/", "", 1);
            Duration ahead = Duration.between(answer.date(), settings.clock().instant());
            boolean remembered = !Probe.remembered(objects).isEmpty();
            Probe.Report report = Probe.run(settings::service);
            return new S3Trial(report.passed(), report.finding(), remembered, Duration.ofSeconds(ahead.toSeconds()));
        }
    }
}
