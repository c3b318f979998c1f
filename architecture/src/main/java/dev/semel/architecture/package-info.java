/** Rules for the classes of every published module, which checks them in its {@code ArchitectureTest}. */
@NullMarked
package dev.semel.architecture;

import org.jspecify.annotations.NullMarked;
