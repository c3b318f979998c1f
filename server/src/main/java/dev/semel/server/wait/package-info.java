/** Requests that wait for something to happen. */
@NullMarked
package dev.semel.server.wait;

import org.jspecify.annotations.NullMarked;
