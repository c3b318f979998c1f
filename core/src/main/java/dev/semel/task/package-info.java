/**
 * The words of Semel and the one decision everything rests on; no I/O, no clock, no threads.
 *
 * <p>A submission names an {@link dev.semel.task.Identity}: a tenant, a scope and a key. Whether it becomes a new task
 * or is answered with one that exists already is decided by one pure function,
 * {@link dev.semel.task.Decision#decide Decision.decide}. Every way in (single, batch, shell, joined transaction) and
 * every store calls that function and no other, inside its own atomic section, so that there is one place to read and
 * one table to test. {@link dev.semel.task.DecisionTable} prints the function by calling it.
 *
 * <p>Three hashes must not be mixed up. The <em>identity hash</em> ({@link dev.semel.task.Identity#hash}) is the name of
 * a record in a store. The <em>input hash</em> ({@link dev.semel.task.InputHash}) tells whether a second request under
 * the same identity asks for the same thing. The <em>token</em> ({@link dev.semel.task.Tokens}) is what a handler gives
 * to the outside world, and belongs to a lineage: it stays the same over retries, redrives and reruns after a failure.
 *
 * <p>Errors are grouped by what the caller should do next; each class names its remedy.
 */
@NullMarked
package dev.semel.task;

import org.jspecify.annotations.NullMarked;
