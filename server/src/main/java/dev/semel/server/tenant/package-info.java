/** Stores that are narrowed to one tenant. */
@NullMarked
package dev.semel.server.tenant;

import org.jspecify.annotations.NullMarked;
