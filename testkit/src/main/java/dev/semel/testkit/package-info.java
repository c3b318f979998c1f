/**
 * Tests for those who write handlers. No test framework is needed: what is wrong is thrown as an {@link AssertionError}.
 *
 * <p>{@link dev.semel.testkit.HandlerTrial} runs a handler again and again and stops it at every moment that matters: its process
 * crashes or freezes, a call to the store is lost, a provider does not answer. After each run it checks that the handler's effects
 * have happened once. {@link dev.semel.testkit.TokenProvider} is a provider that recognises tokens and keeps books, for handlers
 * that call one. Both run on {@linkplain dev.semel.testkit.virtualtime virtual time}.
 *
 * <p>{@link dev.semel.testkit.ManualClock} stands still until a test moves it. Stores and
 * {@link dev.semel.Semel} take it in place of the real clock.
 *
 * <p>Tests for those who write stores are in {@code semel-store-tests}.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
