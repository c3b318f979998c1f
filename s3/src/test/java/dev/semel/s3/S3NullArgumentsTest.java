package dev.semel.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.architecture.NullArguments;
import dev.semel.guard.GuardKey;
import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectName;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import dev.semel.task.InvalidInput;
import dev.semel.testkit.ManualClock;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A null is reported where it is passed. */
class S3NullArgumentsTest {

    @Test
    void aNullIsReportedWhereItIsPassed() {
        InMemoryObjects service = new InMemoryObjects(new ManualClock());
        RetryingObjectStore objects = RetryingObjectStore.on(service, RetrySettings.standard());
        NullArguments checked = new NullArguments(InvalidInput.class)
                .sample(S3Settings.class, S3Settings.of("s3://bucket/a?region=x"))
                .sample(ObjectStore.class, objects)
                .sample(ObjectService.class, service)
                .sample(RetrySettings.class, RetrySettings.standard())
                .sample(RandomGenerator.class, new SplittableRandom(1))
                .sample(Mark.class, Mark.next(new SplittableRandom(1)))
                .sample(GuardKey.class, new GuardKey("a", "b"))
                .sample(String.class, "s3")
                .statics(
                        S3GuardStore.class,
                        S3Settings.class,
                        RetrySettings.class,
                        RetryingObjectStore.class,
                        InMemoryObjects.class,
                        Mark.class,
                        ObjectName.class)
                .instances(S3Settings.of("s3://bucket/a?region=x"), objects, service, RetrySettings.standard());
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isGreaterThan(25);
    }
}
