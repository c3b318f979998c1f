/** The routes for people and for programs in any language. */
@NullMarked
package dev.semel.server.api;

import org.jspecify.annotations.NullMarked;
