/**
 * Internal: settlements of attempts and effects, and completions in one transaction with the writes of a handler.
 */
@NullMarked
package dev.semel.sqlite.settle;

import org.jspecify.annotations.NullMarked;
