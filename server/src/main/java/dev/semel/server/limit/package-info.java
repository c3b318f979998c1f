/** Limits of tenants: submissions per second, open tasks, stored bytes. */
@NullMarked
package dev.semel.server.limit;

import org.jspecify.annotations.NullMarked;
