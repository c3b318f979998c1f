/** HTTP without a word about tasks: routes, requests, replies, problems, and the listener that limits what clients can do. */
@NullMarked
package dev.semel.server.http;

import org.jspecify.annotations.NullMarked;
