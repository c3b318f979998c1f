/**
 * One small program for each page under {@code docs/start} and {@code docs/how-to}. The tests run them, and compare the code
 * on the pages with the code here.
 *
 * <p>The code between a line {@code // snippet: name} and the next line {@code // end} can be shown on a page, under a
 * line that names the class and the snippet.
 */
@NullMarked
package dev.semel.examples;

import org.jspecify.annotations.NullMarked;
