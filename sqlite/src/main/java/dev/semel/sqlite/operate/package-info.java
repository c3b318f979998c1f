/**
 * Internal: operations on tasks, keys, effects and queues, and the sweep.
 */
@NullMarked
package dev.semel.sqlite.operate;

import org.jspecify.annotations.NullMarked;
