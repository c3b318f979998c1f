/**
 * What an application writes against: handlers as beans ({@link dev.semel.spring.TaskHandler},
 * {@link dev.semel.spring.TypedHandler}), the guard as an annotation ({@link dev.semel.spring.Idempotent}) and
 * customizers.
 */
@NullMarked
package dev.semel.spring;

import org.jspecify.annotations.NullMarked;
