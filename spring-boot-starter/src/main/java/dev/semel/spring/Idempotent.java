package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method of a bean once for each key, by the {@link dev.semel.guard.Guard}. Every other call with the same key
 * returns the stored result. Inside a transaction on the store's database the record commits with the method's own
 * writes.
 *
 * <p>As with all annotations of Spring that wrap a method, only calls from other beans are guarded. The method's result
 * is stored as JSON, so its class must not be generic.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {

    /**
     * Returns the name of the effect, which is a part of every key and of every log line. It is stored, so choose one
     * that can stay when the method is renamed.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the key as a SpEL expression over the parameters, for example {@code "#order.id"}. It must not be null
     * or empty.
     *
     * @return the expression
     */
    String key();

    /**
     * Returns the payload as a SpEL expression over the parameters. A call with a used key and another payload is
     * rejected with {@link dev.semel.guard.GuardConflict}. Only its hash is stored.
     *
     * @return the expression; empty for no comparison
     */
    String payload() default "";

    /**
     * Returns how long the outcome is kept.
     *
     * @return a duration such as {@code "24h"}; empty for the setting {@code semel.guard.ttl}
     */
    String ttl() default "";
}
