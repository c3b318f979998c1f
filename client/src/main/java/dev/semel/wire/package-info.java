/**
 * The form in which a store is spoken to over HTTP: JSON for every request and answer of the four parts of a store.
 *
 * <p>It is internal to Semel: the client and the server of one release share it, and its version is compared before anything
 * else ({@link dev.semel.wire.Protocol}). Programs in other languages use the documented HTTP API instead.
 *
 * <h2>What it has to get right</h2>
 *
 * <p><b>Exactness.</b> What is written is read back equal, for every value that the store interface allows. Documents (inputs,
 * results) are texts and stay texts: they are never parsed here, so no number in them is rounded and no space is lost. Texts may
 * contain halves of surrogate pairs, which UTF-8 has no bytes for; they are written as JSON escapes. Times and durations are whole
 * milliseconds where that is exact, and ISO 8601 texts otherwise. A member that is absent is null.
 *
 * <p><b>Completeness.</b> The forms of sealed types are {@code switch} statements without a default. A new kind of request does
 * not compile until it has a form. A test finds all kinds by reflection and sends each of them through its form.
 *
 * <p><b>Compatibility.</b> Members that are not known are ignored. A kind or a word that is not known is rejected with its name:
 * whoever cannot understand a request must not guess what it means.
 *
 * <p><b>Bounds.</b> A body is read with limits on its depth, its number of values, the members of an object and the length of
 * names and numbers. A member that occurs twice is rejected, because two readers could disagree about which one counts.
 */
@NullMarked
package dev.semel.wire;

import org.jspecify.annotations.NullMarked;
