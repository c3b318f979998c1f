/** Tokens, and who a caller is. */
@NullMarked
package dev.semel.server.token;

import org.jspecify.annotations.NullMarked;
