package dev.semel.spring.handler;

import dev.semel.engine.TaskContext;
import dev.semel.spring.SetUpFailure;
import dev.semel.spring.TaskHandler;
import dev.semel.spring.WorkflowCode;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * An annotated method of a bean that takes an input and, in any order, what its kind provides beside it. It is checked when it is made.
 */
final class BeanMethod {

    private static final MethodType SHAPE = MethodType.methodType(Object.class, Object.class, Object.class);

    private final MethodHandle method;

    private BeanMethod(MethodHandle method) {
        this.method = method;
    }

    /**
     * What an annotation stands for.
     *
     * @param annotation the annotation
     * @param beside the class of what a method gets beside the input
     * @param required whether a method must take it
     */
    record Kind(Class<? extends Annotation> annotation, Class<?> beside, boolean required) {

        static final Kind TASK = new Kind(TaskHandler.class, TaskContext.class, false);
        static final Kind WORKFLOW = new Kind(WorkflowCode.class, Flow.class, true);

        /** Returns the place of a method, for messages. */
        String origin(Method method) {
            return "@" + annotation.getSimpleName() + " method "
                    + method.getDeclaringClass().getName() + "." + method.getName() + "("
                    + String.join(
                            ", ",
                            Arrays.stream(method.getParameterTypes())
                                    .map(Class::getSimpleName)
                                    .toList())
                    + ")";
        }
    }

    /**
     * Returns the method, ready to be called.
     *
     * @param kind what its annotation stands for
     * @param type the type whose tasks it runs
     * @param bean the bean, which may be a proxy
     * @param declared the method of the bean's class
     * @throws SetUpFailure if the method does not fit the type
     */
    static BeanMethod of(Kind kind, TaskType<?, ?> type, Object bean, Method declared) {
        check(kind, type, declared);
        Method method = invocable(kind, bean, declared);
        try {
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(method);
            if (!Modifier.isStatic(method.getModifiers())) {
                handle = handle.bindTo(bean);
            }
            return new BeanMethod(shaped(kind, handle, method));
        } catch (IllegalAccessException | RuntimeException e) {
            SetUpFailure failure = new SetUpFailure(
                    kind.origin(declared) + " cannot be called.", "Make the method and its class public.");
            failure.initCause(e);
            throw failure;
        }
    }

    private static void check(Kind kind, TaskType<?, ?> type, Method method) {
        if (Modifier.isPrivate(method.getModifiers())) {
            throw new SetUpFailure(
                    kind.origin(method) + " is private.",
                    "A private method bypasses Spring's proxies: make it visible.");
        }
        Class<?>[] parameters = method.getParameterTypes();
        String beside = kind.beside().getSimpleName();
        long besides = Arrays.stream(parameters)
                .filter(parameter -> parameter == kind.beside())
                .count();
        if (besides > 1 || parameters.length - besides != 1 || (kind.required() && besides == 0)) {
            throw new SetUpFailure(
                    kind.origin(method) + " has " + parameters.length + " parameters.",
                    "It takes the input (" + type.input() + ") and"
                            + (kind.required() ? " a " + beside : ", if it likes, a " + beside) + ".");
        }
        for (Class<?> parameter : parameters) {
            if (parameter != kind.beside()
                    && !ClassUtils.isAssignable(parameter, type.input().rawClass())) {
                throw new SetUpFailure(
                        kind.origin(method) + " takes \"" + parameter.getName() + "\", but the input of task type \""
                                + type.name() + "\" is \"" + type.input() + "\".",
                        "Change the parameter, or the class of the type's input.");
            }
        }
        Class<?> result = method.getReturnType();
        Class<?> output = type.output().rawClass();
        boolean fits = result == void.class ? output == Void.class : ClassUtils.isAssignable(output, result);
        if (!fits) {
            throw new SetUpFailure(
                    kind.origin(method) + " returns \"" + result.getName() + "\", but the output of task type \""
                            + type.name() + "\" is \"" + type.output() + "\".",
                    "Change the method's result, or the class of the type's output.");
        }
    }

    private static Method invocable(Kind kind, Object bean, Method declared) {
        try {
            return AopUtils.selectInvocableMethod(declared, bean.getClass());
        } catch (IllegalStateException e) {
            SetUpFailure failure = new SetUpFailure(
                    kind.origin(declared) + " is not a method of the bean's proxy, which has only its interfaces.",
                    "Declare the method in an interface of the bean, or set spring.aop.proxy-target-class=true.");
            failure.initCause(e);
            throw failure;
        }
    }

    private static MethodHandle shaped(Kind kind, MethodHandle handle, Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        MethodHandle both = handle;
        if (parameters.length == 1) {
            both = MethodHandles.dropArguments(handle, 0, kind.beside());
        } else if (parameters[1] == kind.beside()) {
            both = MethodHandles.permuteArguments(
                    handle, MethodType.methodType(handle.type().returnType(), parameters[1], parameters[0]), 1, 0);
        }
        return both.asType(SHAPE);
    }

    /** Calls the method. Its result is what the type says: that was checked when this was made. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the class of the result was checked
    <O extends @Nullable Object> O call(Object beside, @Nullable Object input) throws Exception {
        try {
            return (O) (Object) method.invokeExact(beside, input);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("A handler threw something that is neither an exception nor an error", e);
        }
    }
}
