package dev.semel.spring.handler;

import dev.semel.spring.SetUpFailure;
import dev.semel.spring.TaskHandler;
import dev.semel.spring.TypedHandler;
import dev.semel.spring.TypedWorkflow;
import dev.semel.spring.WorkflowCode;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
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
import org.springframework.core.annotation.MergedAnnotations;

/** Finds the handlers among the beans of an application. It looks at nothing but beans. */
final class HandlerDiscovery {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerDiscovery.class);

    private final ConfigurableListableBeanFactory beans;

    HandlerDiscovery(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Returns all handlers and the code of all workflows, one for each type.
     *
     * @throws SetUpFailure if one does not fit its type, or a type has two
     */
    List<DefinedHandler> find() {
        List<DefinedHandler> all = new ArrayList<>();
        beans.getBeanProvider(TypedHandler.class).orderedStream().forEach(bean -> all.add(typed(bean)));
        beans.getBeanProvider(TypedWorkflow.class).orderedStream().forEach(bean -> all.add(typed(bean)));
        Map<String, TaskType<?, ?>> types = new LinkedHashMap<>();
        beans.getBeansOfType(TaskType.class).forEach((bean, type) -> add(types, type.name(), type, bean));
        Map<String, WorkflowType<?, ?>> workflows = new LinkedHashMap<>();
        beans.getBeansOfType(WorkflowType.class).forEach((bean, type) -> add(workflows, type.name(), type, bean));
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                methods(name, TaskHandler.class)
                        .forEach((method, annotation) -> all.add(task(
                                name,
                                method,
                                named(BeanMethod.Kind.TASK, method, annotation.value(), types, TaskType.class))));
                methods(name, WorkflowCode.class)
                        .forEach((method, annotation) -> all.add(workflow(
                                name,
                                method,
                                named(
                                        BeanMethod.Kind.WORKFLOW,
                                        method,
                                        annotation.value(),
                                        workflows,
                                        WorkflowType.class))));
            }
        }
        Map<String, DefinedHandler> byType = new LinkedHashMap<>();
        for (DefinedHandler handler : all) {
            DefinedHandler other = byType.putIfAbsent(handler.type().name(), handler);
            if (other != null) {
                throw new SetUpFailure(
                        "Task type \"" + handler.type().name() + "\" has two handlers: " + other.origin() + " and "
                                + handler.origin() + ".",
                        "Remove one of them.");
            }
        }
        return List.copyOf(byType.values());
    }

    private static String origin(Object bean) {
        return "bean of class " + bean.getClass().getName();
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // the provider of a generic interface has its raw type
    private static DefinedHandler typed(TypedHandler handler) {
        TaskType type = handler.type();
        if (type == null) {
            throw new SetUpFailure(
                    "The handler \"" + handler.getClass().getName() + "\" has no task type.",
                    "Return one from type().");
        }
        return new DefinedHandler(type, origin(handler), worker -> worker.handle(type, handler));
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // the provider of a generic interface has its raw type
    private static DefinedHandler typed(TypedWorkflow code) {
        WorkflowType type = code.type();
        if (type == null) {
            throw new SetUpFailure(
                    "The workflow \"" + code.getClass().getName() + "\" has no workflow type.",
                    "Return one from type().");
        }
        return new DefinedHandler(type.taskType(), origin(code), worker -> worker.workflow(type, code));
    }

    private static <T> void add(Map<String, T> types, String name, T type, String bean) {
        if (types.putIfAbsent(name, type) != null) {
            throw new SetUpFailure(
                    "Two beans are types with the name \"" + name + "\"; one of them is \"" + bean + "\".",
                    "Give each type a name of its own.");
        }
    }

    private <A extends Annotation> Map<Method, A> methods(String bean, Class<A> annotation) {
        try {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            if (type == null || !AnnotationUtils.isCandidateClass(type, annotation)) {
                return Map.of();
            }
            MethodIntrospector.MetadataLookup<A> lookup =
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation);
            return MethodIntrospector.selectMethods(type, lookup);
        } catch (LinkageError | RuntimeException e) {
            // Beans of other libraries may mention classes that the application does not have; Spring passes over them
            // in the same way when it looks for event listeners.
            LOG.debug("Bean not searched for handlers, because its class cannot be read: bean={}", bean, e);
            return Map.of();
        }
    }

    private static <T> T named(
            BeanMethod.Kind kind, Method method, String name, Map<String, T> types, Class<? super T> of) {
        T type = types.get(name);
        if (type == null) {
            throw new SetUpFailure(
                    kind.origin(method) + " names the type \"" + name + "\", but there is no such bean of class "
                            + of.getSimpleName() + "; there are " + new TreeSet<>(types.keySet()) + ".",
                    "Correct the name, or declare the type as a bean.");
        }
        return type;
    }

    private <I, O extends @Nullable Object> DefinedHandler task(String bean, Method method, TaskType<I, O> type) {
        BeanMethod called = BeanMethod.of(BeanMethod.Kind.TASK, type, beans.getBean(bean), method);
        return new DefinedHandler(
                type,
                BeanMethod.Kind.TASK.origin(method),
                worker -> worker.handle(type, (context, input) -> called.call(context, input)));
    }

    private <I, O extends @Nullable Object> DefinedHandler workflow(
            String bean, Method method, WorkflowType<I, O> type) {
        String origin = BeanMethod.Kind.WORKFLOW.origin(method);
        if (isTransactional(method)) {
            throw new SetUpFailure(
                    origin
                            + " is transactional, but the code of a workflow runs again after each wait, so its writes"
                            + " would be rolled back or repeated.",
                    "Remove the annotation, and write in the workflow's steps.");
        }
        BeanMethod called = BeanMethod.of(BeanMethod.Kind.WORKFLOW, type.taskType(), beans.getBean(bean), method);
        WorkflowHandler<I, O> code = (flow, input) -> called.call(flow, input);
        return new DefinedHandler(type.taskType(), origin, worker -> worker.workflow(type, code));
    }

    private static boolean isTransactional(Method method) {
        return isTransactional((AnnotatedElement) method) || isTransactional(method.getDeclaringClass());
    }

    // By its name: an application without a database does not have the class.
    private static boolean isTransactional(AnnotatedElement element) {
        return MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                .isPresent("org.springframework.transaction.annotation.Transactional");
    }
}
