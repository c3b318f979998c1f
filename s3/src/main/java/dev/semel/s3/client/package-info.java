/**
 * The S3 client: signed requests over {@code java.net.http}, and the usual places for credentials.
 *
 * <p>It is our own, because a client for us has to do less than others: no retries (a repeated conditional write that had
 * succeeded looks like a lost race), no multipart uploads, and the time of every answer. The signature is checked against
 * the examples that AWS publishes.
 */
@NullMarked
package dev.semel.s3.client;

import org.jspecify.annotations.NullMarked;
