package dev.semel.spring.autoconfigure;

import dev.semel.task.InvalidInput;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Applies settings so that a value which is not allowed is reported with the name of its property. */
final class PropertyCheck {

    private PropertyCheck() {}

    /**
     * Applies a setting.
     *
     * @param property the name of the property
     * @param value its value; null leaves everything as it is
     * @param before what it is applied to
     * @param change applies it
     * @return the result of the change
     * @throws InvalidConfigurationPropertyValueException if the value is not allowed
     */
    static <V, T> T applied(String property, @Nullable V value, T before, Function<V, T> change) {
        if (value == null) {
            return before;
        }
        try {
            return change.apply(value);
        } catch (InvalidInput e) {
            throw new InvalidConfigurationPropertyValueException(property, value, String.valueOf(e.getMessage()));
        }
    }
}
