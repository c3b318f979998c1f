package dev.semel.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.time.Instant;
import org.slf4j.LoggerFactory;

/**
 * The logging configuration: warnings to standard error, one line each. It is code because reading a configuration file
 * would cost every command a tenth of a second. Logback finds this class by its service file.
 */
public final class LogSetUp extends ContextAwareBase implements Configurator {

    /** Called by Logback. */
    public LogSetUp() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Lines lines = new Lines();
        lines.setContext(context);
        lines.setName("standard error");
        lines.start();
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(lines);
        // The worker command reports each end of an attempt itself.
        context.getLogger("dev.semel.handler").setLevel(Level.OFF);
        // It logs an error when another process has removed the same left-over library a moment earlier.
        context.getLogger("org.sqlite.SQLiteJDBCLoader").setLevel(Level.OFF);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Logs everything from Semel's own packages. */
    static void beVerbose() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger("dev.semel").setLevel(Level.DEBUG);
        }
    }

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            StringBuilder line = new StringBuilder("semel: ")
                    .append(Text.time(Instant.ofEpochMilli(event.getTimeStamp())))
                    .append(' ')
                    .append(event.getLevel())
                    .append(' ')
                    .append(Text.printable(Secrets.hidden(event.getFormattedMessage())));
            if (event.getThrowableProxy() != null) {
                line.append('\n')
                        .append(Text.printable(Secrets.hidden(ThrowableProxyUtil.asString(event.getThrowableProxy()))));
            }
            System.err.println(line);
        }
    }
}
