package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean as the code of a workflow type. The method takes the input and a {@link dev.semel.workflow.Flow}, in any
 * order, and returns the output. It is checked when the application starts. It runs from the beginning after each wait, so it must not
 * be transactional: write your data in its steps.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface WorkflowCode {

    /** {@return the name of the workflow type, which is a bean of class {@link dev.semel.workflow.WorkflowType}} */
    String value();
}
