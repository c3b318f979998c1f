/**
 * What the stores on JDBC databases have in common and what needs JDBC: the connection of a handler's transaction, scripts in a jar,
 * the tables of the guard, and an answer that needs no memory to be given. There is no layer over dialects; each store writes its
 * own SQL.
 */
@NullMarked
package dev.semel.jdbc;

import org.jspecify.annotations.NullMarked;
