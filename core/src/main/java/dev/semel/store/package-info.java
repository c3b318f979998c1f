/**
 * The seam between the engine and storage: one interface, {@link dev.semel.store.TaskStore}, its data, and its in-memory
 * form.
 *
 * <p>Every operation takes a batch and answers item by item, in order. A single item is a batch of one. Every operation
 * may be repeated after a lost answer, and that is not a courtesy but the way the engine works: when a call ends in
 * {@link dev.semel.task.StoreUnavailable} nobody knows whether it was done, so the engine sends the very same thing again.
 * What makes that safe differs from one operation to the next:
 *
 * <ul>
 *   <li>a submission is recognised by its task id, which the submitting side made;
 *   <li>a claim is recognised by its claim number, which the worker made;
 *   <li>a worker's move is recognised by its lease: an attempt ends once, and the way it ended is kept;
 *   <li>an operator's move says which state it wants, not how to change the present one.
 * </ul>
 *
 * <p>A store decides no policy. How long to wait before a retry, whether the budget is used up, what the key is: all that
 * arrives as plain data. The one decision that must be taken inside the store's atomic section, what becomes of a
 * submission whose identity has a task, is the pure function {@link dev.semel.task.Decision#decide}, which the store
 * calls. Time is the other way round: all that depends on time (what is due, what has expired) is decided by the store's
 * clock alone, so callers send durations, never their own idea of now.
 *
 * <p>The laws in {@link dev.semel.store.TaskStore} are numbered. Each is a test of the same number in the contract suite
 * of the test kit, and no store skips one.
 */
@NullMarked
package dev.semel.store;

import org.jspecify.annotations.NullMarked;
