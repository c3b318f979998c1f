package dev.semel.spring.test;

import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Keeps the tasks of a test in memory, under a {@link TestClock} that the test moves by hand. The handlers of the test's
 * context run as in the application.
 *
 * <p>It goes with {@code @SpringBootTest} for a whole application, or with {@code @SpringJUnitConfig} for some handlers.
 * It needs {@code semel-testkit}. Memory has no transactions, so submissions join none: test those on the
 * application's own database, without this annotation.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration({SemelTestAutoConfiguration.class, SemelAutoConfiguration.class})
public @interface SemelTest {}
