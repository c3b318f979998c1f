package dev.semel.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.examples.shop.Welcoming.Letter;
import dev.semel.spring.test.SemelTest;
import dev.semel.spring.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The reminder of next week, today: the test moves the clock. */
// snippet: test
@SpringBootTest(properties = "spring.datasource.url=jdbc:sqlite::memory:")
@SemelTest
@Timeout(120)
class WelcomingTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Autowired
    Semel semel;

    @Autowired
    TestClock clock;

    @Autowired
    Welcoming.Customers customers;

    @Autowired
    PaperPost post;

    @Test
    void theReminderIsSentAWeekLater() {
        customers.register("ada", "Ada, London");
        awaitEnd("welcome-ada");
        assertThat(post.letters()).containsExactly("Ada, London: welcome");

        clock.advance(Duration.ofDays(7));
        awaitEnd("reminder-ada");
        assertThat(post.letters()).hasSize(2);
    }

    /** Waits for the task of a key: a second submission under the same key is the same task. */
    private void awaitEnd(String key) {
        Letter letter = new Letter("Ada, London", key.startsWith("welcome") ? "welcome" : "how do you like it?");
        semel.submit(Welcoming.SEND, letter).idempotencyKey(key).send().result(LONG);
    }
}
// end
