/**
 * Observation of an instance, without a dependency on a monitoring library: {@link dev.semel.observe.Observer} gets typed
 * events. {@code dev.semel.metrics} turns them into Micrometer meters. Without an observer nothing is called and nothing is
 * measured.
 */
@NullMarked
package dev.semel.observe;

import org.jspecify.annotations.NullMarked;
