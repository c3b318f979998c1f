/** What a native image has to know of Semel: resources, classes that are read from JSON, methods that are called by reflection. */
@NullMarked
package dev.semel.spring.aot;

import org.jspecify.annotations.NullMarked;
