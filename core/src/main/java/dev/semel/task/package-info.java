/**
 * The vocabulary of Semel and its central decision, without I/O, clocks and threads.
 *
 * <p>A submission names an {@link dev.semel.task.Identity}: a tenant, a scope and a key. Whether it creates a new task
 * or returns an existing one is decided by one pure function, {@link dev.semel.task.Decision#decide Decision.decide}.
 * Every kind of submission (single, batch, shell, joined transaction) and every store calls this function inside its
 * own atomic section, so that there is one place to read and one table to test. {@link dev.semel.task.DecisionTable}
 * prints the function by calling it.
 *
 * <p>Three hashes must not be confused. The <em>identity hash</em> ({@link dev.semel.task.Identity#hash}) identifies a
 * record in a store. The <em>input hash</em> ({@link dev.semel.task.InputHash}) shows whether a second request under
 * the same identity is the same request. The <em>token</em> ({@link dev.semel.task.Tokens}) is passed by a handler to
 * other systems. It belongs to a lineage: it stays the same over retries, redrives and reruns after a failure.
 *
 * <p>Exceptions are grouped by what the caller should do next; each class describes its remedy.
 */
@NullMarked
package dev.semel.task;

import org.jspecify.annotations.NullMarked;
