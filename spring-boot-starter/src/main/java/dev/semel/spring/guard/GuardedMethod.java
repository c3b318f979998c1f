package dev.semel.spring.guard;

import dev.semel.spring.Idempotent;
import dev.semel.spring.SetUpFailure;
import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/** An annotated method: its annotation, parsed and checked. */
final class GuardedMethod {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final String name;
    private final Expression key;
    private final @Nullable Expression payload;
    private final @Nullable Duration ttl;
    private final Class<?> result;

    private GuardedMethod(Method method, Idempotent annotation, Class<?> result) {
        this.method = method;
        this.name = Limits.name("effect", annotation.name());
        this.key = PARSER.parseExpression(annotation.key());
        this.payload = annotation.payload().isEmpty() ? null : PARSER.parseExpression(annotation.payload());
        this.ttl = annotation.ttl().isEmpty() ? null : Durations.parse(annotation.ttl());
        this.result = result;
    }

    /**
     * Reads the annotation of a method.
     *
     * @throws SetUpFailure if the annotation or the method's result is not allowed
     */
    static GuardedMethod of(Method method, Idempotent annotation) {
        Class<?> result = method.getReturnType() == void.class
                ? Object.class
                : ClassUtils.resolvePrimitiveIfNecessary(method.getReturnType());
        if (ResolvableType.forMethodReturnType(method).hasGenerics()) {
            throw new SetUpFailure(
                    origin(method) + " returns \"" + method.getGenericReturnType()
                            + "\", which is generic, so a stored result could not be read again.",
                    "Return a class or record without type parameters.");
        }
        try {
            return new GuardedMethod(method, annotation, result);
        } catch (InvalidInput | ParseException | IllegalStateException | IllegalArgumentException e) {
            SetUpFailure failure = new SetUpFailure(
                    origin(method) + " has an annotation that is not allowed: " + e.getMessage(), "Correct it.");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Returns the place of a method, for messages. */
    static String origin(Method method) {
        return "@Idempotent method " + method.getDeclaringClass().getName() + "." + method.getName();
    }

    String name() {
        return name;
    }

    @Nullable
    Duration ttl() {
        return ttl;
    }

    Class<?> result() {
        return result;
    }

    /** Returns the key of a call. */
    String key(Object target, @Nullable Object[] arguments) {
        Object value = value(key, target, arguments);
        if (value == null || value.toString().isEmpty()) {
            throw new InvalidInput("The key \"" + key.getExpressionString() + "\" of " + origin(method) + " is "
                    + (value == null ? "null" : "empty")
                    + ", so calls cannot be told apart. Pass a value that has a key.");
        }
        return name + ":" + value;
    }

    /** Returns the payload of a call to compare, or null if there is none. */
    @Nullable
    Object payload(Object target, @Nullable Object[] arguments) {
        return payload == null ? null : value(payload, target, arguments);
    }

    private @Nullable Object value(Expression expression, Object target, @Nullable Object[] arguments) {
        try {
            return expression.getValue(new MethodBasedEvaluationContext(target, method, arguments, NAMES));
        } catch (EvaluationException e) {
            throw new InvalidInput(
                    "The expression \"" + expression.getExpressionString() + "\" of " + origin(method)
                            + " could not be evaluated: " + e.getMessage()
                            + ". Correct it, or compile with -parameters.",
                    e);
        }
    }
}
