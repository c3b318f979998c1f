/** The file of operators' actions. */
@NullMarked
package dev.semel.server.audit;

import org.jspecify.annotations.NullMarked;
