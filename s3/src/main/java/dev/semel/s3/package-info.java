/**
 * Semel with nothing but object storage: any service that speaks S3 and creates an object only if it is absent.
 *
 * <p>{@link dev.semel.s3.objects} is the one thing that the stores rely on: create-if-absent with a known outcome.
 */
@NullMarked
package dev.semel.s3;

import org.jspecify.annotations.NullMarked;
