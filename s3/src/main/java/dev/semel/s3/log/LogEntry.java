package dev.semel.s3.log;

import dev.semel.sqlite.capture.Change;
import java.util.List;

/**
 * One entry of the log: what the operations of one transaction changed.
 *
 * @param number its place in the log, from 0
 * @param previous the hash of the entry before it, which makes the log a chain; empty for the first
 * @param time the time by which its operations decided, in milliseconds since 1970
 * @param author the process that wrote it
 */
record LogEntry(long number, String previous, long time, String author, List<Change> changes) {}
