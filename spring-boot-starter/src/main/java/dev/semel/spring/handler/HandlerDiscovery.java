package dev.semel.spring.handler;

import dev.semel.spring.SetUpFailure;
import dev.semel.spring.TaskHandler;
import dev.semel.spring.TypedHandler;
import dev.semel.task.TaskType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the handlers among the beans of an application. It looks at nothing but beans. */
final class HandlerDiscovery {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerDiscovery.class);

    private final ConfigurableListableBeanFactory beans;

    HandlerDiscovery(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Returns all handlers, one for each type.
     *
     * @throws SetUpFailure if a handler does not fit its type, or a type has two
     */
    List<DefinedHandler<?, ?>> find() {
        Map<String, DefinedHandler<?, ?>> byType = new LinkedHashMap<>();
        List<DefinedHandler<?, ?>> all = new ArrayList<>();
        beans.getBeanProvider(TypedHandler.class).orderedStream().forEach(bean -> all.add(typed(bean)));
        Map<String, TaskType<?, ?>> types = types();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                methods(name).forEach((method, annotation) -> all.add(method(name, method, annotation, types)));
            }
        }
        for (DefinedHandler<?, ?> handler : all) {
            DefinedHandler<?, ?> other = byType.putIfAbsent(handler.type().name(), handler);
            if (other != null) {
                throw new SetUpFailure(
                        "Task type \"" + handler.type().name() + "\" has two handlers: " + other.origin() + " and "
                                + handler.origin() + ".",
                        "Remove one of them.");
            }
        }
        return List.copyOf(byType.values());
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // the provider of a generic interface has its raw type
    private static DefinedHandler<?, ?> typed(TypedHandler handler) {
        TaskType<?, ?> type = handler.type();
        if (type == null) {
            throw new SetUpFailure(
                    "The handler \"" + handler.getClass().getName() + "\" has no task type.",
                    "Return one from type().");
        }
        return new DefinedHandler(
                type, handler, "bean of class " + handler.getClass().getName());
    }

    private Map<String, TaskType<?, ?>> types() {
        Map<String, TaskType<?, ?>> types = new LinkedHashMap<>();
        beans.getBeansOfType(TaskType.class).forEach((bean, type) -> {
            if (types.putIfAbsent(type.name(), type) != null) {
                throw new SetUpFailure(
                        "Two beans are task types with the name \"" + type.name() + "\"; one of them is \"" + bean
                                + "\".",
                        "Give each type a name of its own.");
            }
        });
        return types;
    }

    private Map<Method, TaskHandler> methods(String bean) {
        try {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            if (type == null || !AnnotationUtils.isCandidateClass(type, TaskHandler.class)) {
                return Map.of();
            }
            MethodIntrospector.MetadataLookup<TaskHandler> annotation =
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, TaskHandler.class);
            return MethodIntrospector.selectMethods(type, annotation);
        } catch (LinkageError | RuntimeException e) {
            // Beans of other libraries may mention classes that the application does not have; Spring passes over them
            // in the same way when it looks for event listeners.
            LOG.debug("Bean not searched for handlers, because its class cannot be read: bean={}", bean, e);
            return Map.of();
        }
    }

    private DefinedHandler<?, ?> method(
            String bean, Method method, TaskHandler annotation, Map<String, TaskType<?, ?>> types) {
        TaskType<?, ?> type = types.get(annotation.value());
        if (type == null) {
            throw new SetUpFailure(
                    MethodHandler.origin(method) + " names the task type \"" + annotation.value()
                            + "\", but there is no such bean of class TaskType; there are "
                            + new TreeSet<>(types.keySet())
                            + ".",
                    "Correct the name, or declare the type as a bean.");
        }
        return defined(type, bean, method);
    }

    private <I, O extends @Nullable Object> DefinedHandler<I, O> defined(
            TaskType<I, O> type, String bean, Method method) {
        return new DefinedHandler<>(
                type, MethodHandler.of(type, beans.getBean(bean), method), MethodHandler.origin(method));
    }
}
