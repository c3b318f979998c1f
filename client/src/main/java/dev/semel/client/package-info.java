/** To be written. */
@NullMarked
package dev.semel.client;

import org.jspecify.annotations.NullMarked;
