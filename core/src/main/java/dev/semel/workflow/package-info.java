/**
 * Workflows: code that waits for days and survives crashes, whose steps are tasks.
 *
 * <p>A workflow is a task whose handler is replayed. Each time it has something to do, its code runs from the beginning: what it did
 * before is read from its history instead of being done again, and what is new is added to the history. When it has to wait, the
 * attempt ends, and nothing is left of it but its rows.
 *
 * <p>Two lists make that possible, and docs/internals/workflows.md has their laws. The <em>history</em> is what the code did, in
 * the order in which it did it. The <em>inbox</em> is what happened to it, in the order in which the store accepted it. Every
 * operation of {@link dev.semel.workflow.Flow} is a function of these two, so the code takes the same way each time:
 *
 * <ul>
 *   <li>{@link dev.semel.workflow.WorkflowType} names a workflow, {@link dev.semel.workflow.WorkflowHandler} is its code;
 *   <li>{@code Turn} has what one call of the code has read, done and consumed, and compares each operation with the history;
 *   <li>{@code Replayer} calls the code, and turns the ways in which it can end into the ends of an attempt.
 * </ul>
 */
@NullMarked
package dev.semel.workflow;

import org.jspecify.annotations.NullMarked;
