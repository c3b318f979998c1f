package dev.semel.spring.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** The hints of Semel's own: the schemas of its stores, and the one document that it reads by reflection. */
final class SemelRuntimeHints implements RuntimeHintsRegistrar {

    // Package-private in core: nobody else writes or reads it.
    private static final String SCHEDULE_DOCUMENT = "dev.semel.schedule.ScheduleDocument";

    SemelRuntimeHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("dev/semel/**/*.sql");
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(hints.reflection(), ClassUtils.resolveClassName(SCHEDULE_DOCUMENT, loader));
    }
}
