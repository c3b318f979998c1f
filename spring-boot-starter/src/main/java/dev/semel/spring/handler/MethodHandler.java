package dev.semel.spring.handler;

import dev.semel.engine.Handler;
import dev.semel.engine.TaskContext;
import dev.semel.spring.SetUpFailure;
import dev.semel.task.TaskType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** A handler that is an annotated method of a bean. The method is checked when the handler is made. */
final class MethodHandler<I, O extends @Nullable Object> implements Handler<I, O> {

    private static final MethodType SHAPE = MethodType.methodType(Object.class, TaskContext.class, Object.class);

    private final MethodHandle method;

    private MethodHandler(MethodHandle method) {
        this.method = method;
    }

    /**
     * Returns the handler.
     *
     * @param type the type whose tasks it runs
     * @param bean the bean, which may be a proxy
     * @param declared the method of the bean's class
     * @throws SetUpFailure if the method does not fit the type
     */
    static <I, O extends @Nullable Object> MethodHandler<I, O> of(TaskType<I, O> type, Object bean, Method declared) {
        check(type, declared);
        Method method = invocable(bean, declared);
        try {
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(method);
            if (!Modifier.isStatic(method.getModifiers())) {
                handle = handle.bindTo(bean);
            }
            return new MethodHandler<>(shaped(handle, method));
        } catch (IllegalAccessException | RuntimeException e) {
            SetUpFailure failure =
                    new SetUpFailure(origin(declared) + " cannot be called.", "Make the method and its class public.");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Returns the place of a method, for messages. */
    static String origin(Method method) {
        return "@TaskHandler method " + method.getDeclaringClass().getName() + "." + method.getName() + "("
                + String.join(
                        ", ",
                        Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .toList())
                + ")";
    }

    private static void check(TaskType<?, ?> type, Method method) {
        if (Modifier.isPrivate(method.getModifiers())) {
            throw new SetUpFailure(
                    origin(method) + " is private.", "A private method bypasses Spring's proxies: make it visible.");
        }
        Class<?>[] parameters = method.getParameterTypes();
        long contexts =
                Arrays.stream(parameters).filter(MethodHandler::isContext).count();
        if (contexts > 1 || parameters.length - contexts != 1) {
            throw new SetUpFailure(
                    origin(method) + " has " + parameters.length + " parameters.",
                    "A handler takes the input (" + type.input() + ") and, if it likes, a TaskContext.");
        }
        for (Class<?> parameter : parameters) {
            if (!isContext(parameter)
                    && !ClassUtils.isAssignable(parameter, type.input().rawClass())) {
                throw new SetUpFailure(
                        origin(method) + " takes \"" + parameter.getName() + "\", but the input of task type \""
                                + type.name() + "\" is \"" + type.input() + "\".",
                        "Change the parameter, or the class of the type's input.");
            }
        }
        Class<?> result = method.getReturnType();
        Class<?> output = type.output().rawClass();
        boolean fits = result == void.class ? output == Void.class : ClassUtils.isAssignable(output, result);
        if (!fits) {
            throw new SetUpFailure(
                    origin(method) + " returns \"" + result.getName() + "\", but the output of task type \""
                            + type.name() + "\" is \"" + type.output() + "\".",
                    "Change the method's result, or the class of the type's output.");
        }
    }

    private static boolean isContext(Class<?> parameter) {
        return parameter == TaskContext.class;
    }

    private static Method invocable(Object bean, Method declared) {
        try {
            return AopUtils.selectInvocableMethod(declared, bean.getClass());
        } catch (IllegalStateException e) {
            SetUpFailure failure = new SetUpFailure(
                    origin(declared) + " is not a method of the bean's proxy, which has only its interfaces.",
                    "Declare the method in an interface of the bean, or set spring.aop.proxy-target-class=true.");
            failure.initCause(e);
            throw failure;
        }
    }

    private static MethodHandle shaped(MethodHandle handle, Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        MethodHandle both = handle;
        if (parameters.length == 1) {
            both = MethodHandles.dropArguments(handle, 0, TaskContext.class);
        } else if (isContext(parameters[1])) {
            both = MethodHandles.permuteArguments(
                    handle, MethodType.methodType(handle.type().returnType(), parameters[1], parameters[0]), 1, 0);
        }
        return both.asType(SHAPE);
    }

    @Override
    @SuppressWarnings("unchecked") // the class of the method's result was checked when the handler was made
    public O handle(TaskContext context, I input) throws Exception {
        try {
            return (O) (Object) method.invokeExact(context, (Object) input);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("A handler threw something that is neither an exception nor an error", e);
        }
    }
}
