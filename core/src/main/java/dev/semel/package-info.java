/**
 * Where users start: {@link dev.semel.Semel} submits tasks, waits for their results and starts workers.
 *
 * <p>A submission is prepared by {@link dev.semel.Semel#submit}, which makes its task id at once, and sent by
 * {@link dev.semel.SubmissionRequest#send}. Sent again, the same request carries the same id and is recognised, with a key
 * or without: that is how a caller that got no answer finds out what became of it.
 *
 * <p>Everything below is reached through this package, and nothing below imports it.
 */
@NullMarked
package dev.semel;

import org.jspecify.annotations.NullMarked;
