/** Prototypes of layouts of tasks in objects, and their comparison in virtual time. */
@NullMarked
package dev.semel.benchmarks.objects;

import org.jspecify.annotations.NullMarked;
