/** A store that is a Semel server, reached over HTTP. */
@NullMarked
package dev.semel.client;

import org.jspecify.annotations.NullMarked;
