/** The handlers that an application has as beans, and the worker that runs them. */
@NullMarked
package dev.semel.spring.handler;

import org.jspecify.annotations.NullMarked;
