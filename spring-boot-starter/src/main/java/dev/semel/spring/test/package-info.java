/** Tests of applications: tasks in memory, and a clock that the test moves by hand. */
@NullMarked
package dev.semel.spring.test;

import org.jspecify.annotations.NullMarked;
