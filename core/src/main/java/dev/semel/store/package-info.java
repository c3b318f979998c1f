/**
 * The seam between the engine and storage: one interface, {@link dev.semel.store.TaskStore}, its data, and its in-memory
 * form.
 *
 * <p>Every operation takes a batch and answers item by item, in order. A single item is a batch of one. Every operation
 * may be repeated after a lost answer, and the engine relies on that: when a call ends in
 * {@link dev.semel.task.StoreUnavailable} it is unknown whether it was done, so the engine sends the same call again. What makes
 * that safe differs between operations:
 *
 * <ul>
 *   <li>a submission is recognised by its task id, which the submitting program created;
 *   <li>a claim is recognised by its claim number, which the worker created;
 *   <li>a settlement is recognised by its lease: an attempt ends once, and the way it ended is kept;
 *   <li>an operation names the state that it requests, not a change of the present one.
 * </ul>
 *
 * <p>A store decides no policy. How long to wait before a retry, whether the budget is used up, what the key is: all that
 * arrives as plain data. What must be decided inside the store's atomic section is decided by pure functions that the store
 * calls there: {@link dev.semel.task.Decision#decide} for a submission whose identity has a task,
 * {@link dev.semel.store.AttemptEnd} for the end of an attempt, {@link dev.semel.store.Consequences} for what follows from
 * a change of state, {@link dev.semel.store.CancelDecision}, {@link dev.semel.store.RedriveDecision} and
 * {@link dev.semel.store.KeyHolder} for operations, {@link dev.semel.store.ClaimAllowances} for limits and
 * {@link dev.semel.store.StoredEffect} for effects. Everything that depends on time (what is due, what has
 * expired) is decided by the store's clock alone, so callers send durations and never their own time.
 *
 * <p>The laws in {@link dev.semel.store.TaskStore} are numbered. Each is a test of the same number in the contract suite
 * ({@code semel-store-tests}), and no store skips one.
 */
@NullMarked
package dev.semel.store;

import org.jspecify.annotations.NullMarked;
