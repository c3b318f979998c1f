/**
 * The entry point for users: {@link dev.semel.Semel} submits tasks, waits for their results and starts workers.
 *
 * <p>{@link dev.semel.Semel#submit} prepares a submission and creates its task id, and
 * {@link dev.semel.SubmissionRequest#send} sends it. A repeated send of the same request carries the same id and is
 * recognised, with or without a key. So a caller that got no answer sends the request again and learns its outcome.
 *
 * <p>This package uses all packages below it, and none of them imports it.
 */
@NullMarked
package dev.semel;

import org.jspecify.annotations.NullMarked;
