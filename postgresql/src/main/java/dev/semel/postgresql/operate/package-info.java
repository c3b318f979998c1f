/**
 * Internal: operations on tasks, keys, effects, queues and schedules, and the sweep.
 */
@NullMarked
package dev.semel.postgresql.operate;

import org.jspecify.annotations.NullMarked;
