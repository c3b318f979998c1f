/**
 * Internal: the file's time, by which every operation decides what is due and what has expired.
 *
 * <p>All processes on one file run on one machine, but their clocks can be set at any moment.
 * {@link dev.semel.sqlite.time.FileClock} follows them only as far as they agree, and never falls.
 */
@NullMarked
package dev.semel.sqlite.time;

import org.jspecify.annotations.NullMarked;
