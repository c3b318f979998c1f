/** A client that is generated from the description of the API. */
@NullMarked
package dev.semel.server.generated;

import org.jspecify.annotations.NullMarked;
