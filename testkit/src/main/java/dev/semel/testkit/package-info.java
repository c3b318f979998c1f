/**
 * Tests for authors of handlers. No test framework is needed: a failed test throws an {@link AssertionError}.
 *
 * <p>{@link dev.semel.testkit.HandlerTrial} runs a handler repeatedly and disturbs it at every moment that matters: its
 * process crashes or freezes, a call to the store is lost, a provider does not answer. After each run it checks that
 * the handler's effects have happened once. {@link dev.semel.testkit.TokenProvider} is a fake provider that recognises
 * tokens and records calls. Both run on {@linkplain dev.semel.testkit.virtualtime virtual time}.
 *
 * <p>{@link dev.semel.testkit.ManualClock} stands still until a test moves it. Stores and {@link dev.semel.Semel} take
 * it in place of the real clock.
 *
 * <p>Tests for authors of stores are in {@code semel-store-tests}.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
