/**
 * The trial of a service before anything relies on it. Services have shipped conditional writes that are ignored, or that are
 * checked before the write and not with it.
 */
@NullMarked
package dev.semel.s3.probe;

import org.jspecify.annotations.NullMarked;
