/**
 * Metrics of Semel for Micrometer. Only this package depends on Micrometer: the library is optional, and programs that
 * do not use this package do not need it on the class path. Events are reported through interfaces without a dependency
 * on Micrometer: {@link dev.semel.observe.Observer} and {@link dev.semel.task.CheckObserver}.
 */
@NullMarked
package dev.semel.metrics;

import org.jspecify.annotations.NullMarked;
