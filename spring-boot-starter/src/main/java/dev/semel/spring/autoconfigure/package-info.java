/** The configuration that Spring Boot applies by itself, and its settings {@code semel.*}. */
@NullMarked
package dev.semel.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
