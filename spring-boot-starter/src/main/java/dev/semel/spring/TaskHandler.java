package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean as the handler of a task type. The method takes the input, and optionally a
 * {@link dev.semel.engine.TaskContext}, in any order, and returns the output. It is checked when the application starts.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface TaskHandler {

    /** {@return the name of the task type, which is a bean of class {@link dev.semel.task.TaskType}} */
    String value();
}
