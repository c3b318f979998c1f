/** Methods of beans that run once for each key. */
@NullMarked
package dev.semel.spring.guard;

import org.jspecify.annotations.NullMarked;
