/**
 * Traces of Semel for OpenTelemetry. Only this package depends on the OpenTelemetry API: the library is optional, and
 * programs that do not use this package do not need it on the class path.
 */
@NullMarked
package dev.semel.tracing;

import org.jspecify.annotations.NullMarked;
