/** Semel in the actuator of the application: its health, and its queues. */
@NullMarked
package dev.semel.spring.actuate;

import org.jspecify.annotations.NullMarked;
