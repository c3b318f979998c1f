/** To be written. */
@NullMarked
package dev.semel.s3;

import org.jspecify.annotations.NullMarked;
