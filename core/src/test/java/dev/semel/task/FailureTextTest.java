package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

final class FailureTextTest {

    private static Throwable nested() {
        try {
            try {
                throw new IllegalStateException("the cause");
            } catch (IllegalStateException e) {
                throw new IllegalArgumentException("the failure", e);
            }
        } catch (IllegalArgumentException e) {
            e.addSuppressed(new UnsupportedOperationException("beside"));
            return e;
        }
    }

    @Test
    void anOrdinaryFailureReadsAsItsStackTraceDoes() {
        Throwable thrown = nested();
        assertThat(FailureText.of(thrown).lines().map(String::strip))
                .startsWith("java.lang.IllegalArgumentException: the failure")
                .contains(
                        "Caused by: java.lang.IllegalStateException: the cause",
                        "Suppressed: java.lang.UnsupportedOperationException: beside");
        StringWriter trace = new StringWriter();
        Throwable plain = new IllegalStateException("plain");
        plain.setStackTrace(Arrays.copyOf(plain.getStackTrace(), FailureText.MOST_FRAMES));
        plain.printStackTrace(new PrintWriter(trace, true));
        assertThat(FailureText.of(plain)).isEqualTo(trace.toString().strip());
    }

    @Test
    void aFailureWithoutAStackIsItsMessage() {
        Exception bare = new IllegalStateException("only this");
        bare.setStackTrace(new StackTraceElement[0]);
        assertThat(FailureText.of(bare)).isEqualTo("only this");
        assertThat(FailureText.summary(bare)).isEqualTo("java.lang.IllegalStateException: only this");
    }

    @Test
    void aTextHasItsLimitAndSaysThatItWasCut() {
        assertThat(FailureText.of(new IllegalStateException("x".repeat(1 << 20))))
                .hasSize(Limits.ERROR_LENGTH)
                .endsWith("(the rest is cut)");
    }

    @Test
    void aLoggerThatThrowsIsHeardOfNoMore() {
        Logger broken = (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    throw new StackOverflowError();
                });
        SafeLogger logger = new SafeLogger(broken);
        logger.debug("a {}", 1);
        logger.info("a {}", 1);
        logger.warn("a {}", 1);
        logger.error("a {}", 1, new IllegalStateException());
    }
}
