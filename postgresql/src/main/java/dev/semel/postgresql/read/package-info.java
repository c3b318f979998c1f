/**
 * Internal: reads of tasks, keys and depths. Each sees one state of the database.
 */
@NullMarked
package dev.semel.postgresql.read;

import org.jspecify.annotations.NullMarked;
