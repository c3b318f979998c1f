package dev.semel.task;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that does nothing by itself: its result has to be used. Error Prone and SpotBugs know annotations of this name and
 * report a call whose result is ignored, for example {@code semel.submit(TYPE, input)} without {@code send()}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
