/** Spring's transactions, as far as submissions and guarded calls join them. */
@NullMarked
package dev.semel.spring.transaction;

import org.jspecify.annotations.NullMarked;
