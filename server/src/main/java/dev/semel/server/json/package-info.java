/** Reading and writing of JSON documents, with our own limits and error messages. */
@NullMarked
package dev.semel.server.json;

import org.jspecify.annotations.NullMarked;
