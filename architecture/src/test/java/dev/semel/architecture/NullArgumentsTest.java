package dev.semel.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NullArgumentsTest {

    /** A class with every mistake, planted for a test. */
    public static final class Careless {

        public void silent(String text) {}

        public int pointer(String text) {
            return text.length();
        }

        public void wordless(String text) {
            if (text == null) {
                throw new IllegalArgumentException("wrong");
            }
        }
    }

    /** A class without a mistake. */
    public static final class Careful {

        public void both(String text, Duration time) {
            if (text == null || time == null) {
                throw new IllegalArgumentException("must not be null");
            }
        }

        public void more(String... texts) {
            for (String text : texts) {
                both(text, Duration.ZERO);
            }
        }

        public void either(@Nullable String text, int number) {}
    }

    @Test
    void eachMistakeIsFound() {
        NullArguments checked = new NullArguments(IllegalArgumentException.class).instances(new Careless());
        assertThat(checked.wrong())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("Careless.silent") && line.contains("was accepted"))
                .anyMatch(line -> line.startsWith("Careless.pointer") && line.contains("NullPointerException"))
                .anyMatch(line -> line.startsWith("Careless.wordless") && line.contains("wrong"));
    }

    @Test
    void whatMayBeNullIsLeftAlone() {
        NullArguments checked = new NullArguments(IllegalArgumentException.class).instances(new Careful());
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isEqualTo(3);
    }
}
