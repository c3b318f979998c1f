/**
 * Internal: reads of tasks, keys, effects and depths. Each sees one state of the database.
 */
@NullMarked
package dev.semel.sqlite.read;

import org.jspecify.annotations.NullMarked;
