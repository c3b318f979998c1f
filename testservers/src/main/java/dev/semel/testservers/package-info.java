/**
 * Starts real servers for tests and measurements, out of jars from Maven Central and with nothing installed. Not published:
 * users must not get these dependencies through Semel.
 */
@NullMarked
package dev.semel.testservers;

import org.jspecify.annotations.NullMarked;
