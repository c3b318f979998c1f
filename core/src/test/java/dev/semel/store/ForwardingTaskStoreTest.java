package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ForwardingTaskStoreTest {

    // These only call other methods, which are forwarded.
    private static final Set<String> SHORTHANDS =
            Set.of(signature("record", Identity.class), signature("attempts", TaskId.class), signature("depths"));

    private static final Joining JOINING = connection -> batch -> List.of();

    private static final Transacting TRANSACTING = new Transacting() {
        @Override
        public Settled complete(Lease lease, Work work) {
            return Settled.STALE;
        }
    };

    private static final class Wrapper extends ForwardingTaskStore {
        Wrapper(TaskStore store) {
            super(store);
        }
    }

    private static final class Capable extends ForwardingTaskStore {
        Capable() {
            super(new InMemoryTaskStore());
        }

        @Override
        public Optional<Joining> joining() {
            return Optional.of(JOINING);
        }

        @Override
        public Optional<Transacting> transacting() {
            return Optional.of(TRANSACTING);
        }
    }

    @Test
    void aWrappedStoreKeepsItsCapabilities() {
        try (TaskStore wrapped = new Wrapper(new Wrapper(new Capable()))) {
            assertThat(wrapped.joining()).containsSame(JOINING);
            assertThat(wrapped.transacting()).containsSame(TRANSACTING);
        }
    }

    @Test
    void aWrappedStoreHasNoCapabilityThatTheStoreBelowHasNot() {
        try (TaskStore wrapped = new Wrapper(new InMemoryTaskStore())) {
            assertThat(wrapped.joining()).isEmpty();
            assertThat(wrapped.transacting()).isEmpty();
        }
    }

    @Test
    void everyMethodOfAStoreIsOverridden() {
        List<String> declared = Arrays.stream(ForwardingTaskStore.class.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .map(ForwardingTaskStoreTest::signature)
                .toList();
        assertThat(methods())
                .isNotEmpty()
                .allSatisfy(method -> assertThat(declared).as("%s", method).contains(signature(method)));
    }

    @Test
    void everyCallReachesTheStoreBelowAndNoOther() throws ReflectiveOperationException {
        for (Method method : methods()) {
            List<String> arrived = new ArrayList<>();
            TaskStore below = (TaskStore) Proxy.newProxyInstance(
                    TaskStore.class.getClassLoader(), new Class<?>[] {TaskStore.class}, (proxy, called, arguments) -> {
                        arrived.add(signature(called));
                        return answer(called);
                    });
            Object answer = method.invoke(new Wrapper(below), arguments(method));
            assertThat(arrived).containsExactly(signature(method));
            assertThat(answer).isEqualTo(answer(method));
        }
    }

    /** An answer that no default of a store gives. */
    private static @Nullable Object answer(Method method) {
        if (method.getReturnType().equals(int.class)) {
            return 7;
        }
        return method.getReturnType().equals(boolean.class) ? (Object) true : null;
    }

    private static Object[] arguments(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(type -> type.equals(int.class) ? (Object) 5 : null)
                .toArray();
    }

    /** The methods of a store and its parts, without constants and shorthands. */
    private static List<Method> methods() {
        return Arrays.stream(TaskStore.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !SHORTHANDS.contains(signature(method)))
                .toList();
    }

    private static String signature(Method method) {
        return signature(method.getName(), method.getParameterTypes());
    }

    private static String signature(String name, Class<?>... parameters) {
        return name + Arrays.toString(parameters);
    }
}
