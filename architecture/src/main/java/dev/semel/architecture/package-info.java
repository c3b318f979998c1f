/** The rules that every published module checks its own classes by, in its {@code ArchitectureTest}. */
@NullMarked
package dev.semel.architecture;

import org.jspecify.annotations.NullMarked;
