/**
 * What HTTP costs, in one run: Semel's server beside an empty handler on each HTTP library, and Semel behind a port beside Semel in the
 * process. Each server runs in a JVM of its own, as does the load, so that a figure includes the work of both sides on the same cores.
 */
@NullMarked
package dev.semel.benchmarks.http;

import org.jspecify.annotations.NullMarked;
