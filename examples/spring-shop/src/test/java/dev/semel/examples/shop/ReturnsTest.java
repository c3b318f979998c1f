package dev.semel.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.examples.shop.Returns.Parcel;
import dev.semel.spring.test.SemelTest;
import dev.semel.spring.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** A workflow of a month, today: the test moves the clock. */
@SpringBootTest(properties = "spring.datasource.url=jdbc:sqlite::memory:")
@SemelTest
@Timeout(120)
class ReturnsTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Autowired
    Semel semel;

    @Autowired
    TestClock clock;

    @Autowired
    PaperPost post;

    // snippet: test
    @Test
    void aParcelThatDoesNotArriveExpiresAfterAMonth() {
        Submission<String> started = semel.start(Returns.RETURN, "return-7", new Parcel("7", "Ada, London"));
        clock.advanceWhenIdle(Duration.ofDays(30));
        assertThat(started.result(LONG)).isEqualTo("expired");
    }
    // end

    @Test
    void aParcelThatArrivesIsRefunded() {
        Submission<String> started = semel.start(Returns.RETURN, "return-8", new Parcel("8", "Bob, Paris"));
        clock.advanceWhenIdle(Duration.ofDays(1));
        assertThat(post.letters()).contains("Bob, Paris: send it back within 30 days");
        semel.workflows().signal(Returns.RETURN, "return-8", "arrived", true);
        assertThat(started.result(LONG)).isEqualTo("refunded");
    }
}
