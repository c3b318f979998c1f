/** To be written. */
@NullMarked
package dev.semel.wire;

import org.jspecify.annotations.NullMarked;
