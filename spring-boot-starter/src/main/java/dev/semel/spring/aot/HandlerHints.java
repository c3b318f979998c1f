package dev.semel.spring.aot;

import dev.semel.engine.TaskContext;
import dev.semel.spring.Idempotent;
import dev.semel.spring.TaskHandler;
import dev.semel.spring.TypedHandler;
import dev.semel.spring.TypedWorkflow;
import dev.semel.spring.WorkflowCode;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * The hints for an application's beans: {@link TaskHandler} and {@link WorkflowCode} methods are called by reflection, and the inputs and
 * results of handlers, workflows, types and {@link Idempotent} methods are written to JSON and read from it.
 */
final class HandlerHints implements BeanRegistrationAotProcessor {

    HandlerHints() {}

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        Set<Method> called = new LinkedHashSet<>(annotated(type, TaskHandler.class));
        called.addAll(annotated(type, WorkflowCode.class));
        Set<Type> bound = new LinkedHashSet<>();
        called.forEach(method -> bound.addAll(types(method, true)));
        annotated(type, Idempotent.class).forEach(method -> bound.addAll(types(method, false)));
        bound.addAll(generics(bean.getBeanType().as(TaskType.class)));
        bound.addAll(generics(bean.getBeanType().as(TypedHandler.class)));
        bound.addAll(generics(bean.getBeanType().as(WorkflowType.class)));
        bound.addAll(generics(bean.getBeanType().as(TypedWorkflow.class)));
        return called.isEmpty() && bound.isEmpty()
                ? null
                : (context, code) -> register(context.getRuntimeHints(), called, bound);
    }

    private static void register(RuntimeHints hints, Set<Method> called, Set<Type> bound) {
        called.forEach(method -> hints.reflection().registerMethod(method, ExecutableMode.INVOKE));
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), bound.toArray(Type[]::new));
    }

    private static Set<Method> annotated(Class<?> type, Class<? extends Annotation> annotation) {
        return MethodIntrospector.selectMethods(
                type, (MethodFilter) method -> AnnotatedElementUtils.hasAnnotation(method, annotation));
    }

    /** Returns the classes of a method that become JSON: its result and, of a handler, its input. */
    private static List<Type> types(Method method, boolean parameters) {
        List<Type> types = new ArrayList<>();
        if (method.getReturnType() != void.class) {
            types.add(method.getGenericReturnType());
        }
        if (parameters) {
            for (Type parameter : method.getGenericParameterTypes()) {
                if (parameter != TaskContext.class && parameter != Flow.class) {
                    types.add(parameter);
                }
            }
        }
        return types;
    }

    private static List<Type> generics(ResolvableType type) {
        List<Type> types = new ArrayList<>();
        for (ResolvableType generic : type.getGenerics()) {
            if (generic.resolve() != null) {
                types.add(generic.getType());
            }
        }
        return types;
    }
}
