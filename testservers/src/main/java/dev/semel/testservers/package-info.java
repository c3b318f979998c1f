/**
 * Real servers for tests and measurements, started from jars from Maven Central with nothing installed. Not published,
 * because users must not get these dependencies through Semel.
 */
@NullMarked
package dev.semel.testservers;

import org.jspecify.annotations.NullMarked;
