package dev.semel.task;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A logger that never throws. A logged exception may have a message that throws, and appenders are foreign code. A
 * failed log line must not abort the step that wrote it, such as the settling of an attempt.
 */
public final class SafeLogger {

    private final Logger logger;

    SafeLogger(Logger logger) {
        this.logger = logger;
    }

    /**
     * Creates the logger of a class.
     *
     * @param type the class that gives the logger its name
     * @return the logger
     */
    public static SafeLogger of(Class<?> type) {
        return new SafeLogger(LoggerFactory.getLogger(type));
    }

    /**
     * Creates a logger with a name of its own.
     *
     * @param name the name
     * @return the logger
     */
    public static SafeLogger named(String name) {
        return new SafeLogger(LoggerFactory.getLogger(name));
    }

    /**
     * Logs at DEBUG.
     *
     * @param format the line, with {@code {}} for each argument
     * @param arguments the arguments; an exception at the end is logged with its stack
     */
    public void debug(String format, @Nullable Object... arguments) {
        safely(() -> {
            if (logger.isDebugEnabled()) {
                logger.debug(format, arguments);
            }
        });
    }

    /**
     * Logs at INFO.
     *
     * @param format the line, with {@code {}} for each argument
     * @param arguments the arguments; an exception at the end is logged with its stack
     */
    public void info(String format, @Nullable Object... arguments) {
        safely(() -> logger.info(format, arguments));
    }

    /**
     * Logs at WARN.
     *
     * @param format the line, with {@code {}} for each argument
     * @param arguments the arguments; an exception at the end is logged with its stack
     */
    public void warn(String format, @Nullable Object... arguments) {
        safely(() -> logger.warn(format, arguments));
    }

    /**
     * Logs at ERROR.
     *
     * @param format the line, with {@code {}} for each argument
     * @param arguments the arguments; an exception at the end is logged with its stack
     */
    public void error(String format, @Nullable Object... arguments) {
        safely(() -> logger.error(format, arguments));
    }

    private static void safely(Runnable line) {
        try {
            line.run();
        } catch (Throwable e) {
            // Nothing can be done: the log itself has failed.
        }
    }
}
