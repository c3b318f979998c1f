/**
 * The server: a store of tasks behind HTTP.
 *
 * <p>{@link dev.semel.server.SemelServer} opens the port and registers the routes. A request takes this path: {@code http} checks its
 * size and form, finds the route and the caller, and checks the caller's scopes; {@code tenant} gives the route a store that is
 * narrowed to the caller's tenant; {@code api} has the routes for people and programs in any language. A route never compares tenants
 * by itself, so a new route cannot forget to.
 */
@NullMarked
package dev.semel.server;

import org.jspecify.annotations.NullMarked;
