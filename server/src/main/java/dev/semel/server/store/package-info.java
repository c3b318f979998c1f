/**
 * The routes of a store: what {@code HttpTaskStore} speaks to. Each call of the wire is one call of the store.
 *
 * <p>A call is answered from the store that its caller may see, so tenants are kept apart there and not here. Answers that can be
 * continued end at a size, so that a request for a thousand large tasks does not fill the memory of the server: tasks are looked
 * up in small groups, and the client asks for the rest.
 */
@NullMarked
package dev.semel.server.store;

import org.jspecify.annotations.NullMarked;
