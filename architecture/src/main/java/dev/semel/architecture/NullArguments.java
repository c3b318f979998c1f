package dev.semel.architecture;

import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Passes null for each argument of public methods that may not be null, one at a time, and lists the calls that do not reject it with
 * the exception that is meant for callers. A null pointer from somewhere behind is no answer.
 */
public final class NullArguments {

    private final Class<? extends RuntimeException> expected;
    private final Map<Class<?>, Object> samples = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int passed;

    /**
     * Creates a check with samples of the JDK's everyday types.
     *
     * @param expected the exception that rejects a null; its message says so
     */
    public NullArguments(Class<? extends RuntimeException> expected) {
        this.expected = expected;
        sample(String.class, "name").sample(Object.class, "x").sample(Class.class, String.class);
        sample(Integer.class, 1)
                .sample(Long.class, 1L)
                .sample(Double.class, 1.0)
                .sample(Boolean.class, true);
        sample(Duration.class, Duration.ofSeconds(1)).sample(Instant.class, Instant.EPOCH);
        sample(InstantSource.class, InstantSource.fixed(Instant.EPOCH));
        sample(List.class, List.of()).sample(Set.class, Set.of()).sample(Collection.class, List.of());
        sample(Map.class, Map.of());
    }

    /**
     * Adds a value for parameters of a type. Types with a sample for every parameter can be checked.
     *
     * @param type the type of the parameter
     * @param value a value that is allowed
     * @param <T> the type
     * @return this check
     */
    public <T> NullArguments sample(Class<? super T> type, T value) {
        samples.put(type, value);
        return this;
    }

    /**
     * Checks the public constructors and static methods of classes.
     *
     * @param classes the classes
     * @return this check
     */
    public NullArguments statics(Class<?>... classes) {
        for (Class<?> each : classes) {
            Stream.of(each.getConstructors()).forEach(constructor -> check(null, constructor));
            methods(each)
                    .filter(method -> Modifier.isStatic(method.getModifiers()))
                    .forEach(method -> check(null, method));
        }
        return this;
    }

    /**
     * Checks the public methods of objects.
     *
     * @param objects the objects
     * @return this check
     */
    public NullArguments instances(Object... objects) {
        for (Object each : objects) {
            methods(each.getClass())
                    .filter(method -> !Modifier.isStatic(method.getModifiers()))
                    .forEach(method -> check(each, method));
        }
        return this;
    }

    /** {@return the calls that did not reject a null, one line each} */
    public List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** {@return the number of nulls that were passed} */
    public int passed() {
        return passed;
    }

    private static Stream<Method> methods(Class<?> owner) {
        return Stream.of(owner.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class && !method.isBridge())
                .filter(method -> !method.getName().equals("equals"));
    }

    private void check(@Nullable Object target, Executable executable) {
        Parameter[] parameters = executable.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (!parameters[i].getType().isPrimitive()
                    && !parameters[i].getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                check(target, executable, i);
            }
        }
    }

    private void check(@Nullable Object target, Executable executable, int position) {
        Parameter parameter = executable.getParameters()[position];
        String what = executable.getDeclaringClass().getSimpleName() + "." + executable.getName() + " with null as "
                + parameter;
        @Nullable Object[] arguments = arguments(executable.getParameters(), position);
        arguments[position] =
                parameter.isVarArgs() ? Array.newInstance(parameter.getType().componentType(), 1) : null;
        passed++;
        try {
            if (executable instanceof Method method) {
                method.setAccessible(true);
                method.invoke(target, arguments);
            } else {
                ((Constructor<?>) executable).newInstance(arguments);
            }
            wrong.add(what + " was accepted");
        } catch (InvocationTargetException e) {
            String answer = String.valueOf(e.getCause());
            if (!expected.isInstance(e.getCause()) || !answer.contains("null")) {
                wrong.add(what + " gave " + answer);
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            wrong.add(what + " could not be called: " + e);
        }
    }

    /** Returns samples for all parameters but one. */
    private @Nullable Object[] arguments(Parameter[] parameters, int without) {
        @Nullable Object[] arguments = new @Nullable Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            arguments[i] = i == without ? null : sampleOf(parameters[i].getType());
        }
        return arguments;
    }

    private Object sampleOf(Class<?> type) {
        if (type.isArray()) {
            return Array.newInstance(type.componentType(), 0);
        }
        Class<?> boxed = MethodType.methodType(type).wrap().returnType();
        Object sample = samples.get(boxed);
        if (sample == null && type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (sample == null) {
            wrong.add("There is no sample of " + type);
            return "none";
        }
        return sample;
    }
}
