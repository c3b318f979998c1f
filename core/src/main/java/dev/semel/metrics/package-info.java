/**
 * What Semel tells Micrometer. The only package that needs it: the library is optional, and whoever does not use this
 * package does not need it on the class path. What is counted is told through small interfaces, such as
 * {@link dev.semel.task.CheckObserver}, that know nothing of Micrometer.
 */
@NullMarked
package dev.semel.metrics;

import org.jspecify.annotations.NullMarked;
