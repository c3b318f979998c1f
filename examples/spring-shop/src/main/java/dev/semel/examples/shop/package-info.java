/** A shop on Spring Boot: an order and the task that charges it are written in one transaction. */
@NullMarked
package dev.semel.examples.shop;

import org.jspecify.annotations.NullMarked;
