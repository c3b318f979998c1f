package dev.semel.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.TaskStore;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObservedTaskStoreTest {

    /** Methods that ask nothing of the storage. */
    private static final Set<String> NO_CALLS = Set.of("listen", "close", "concurrentSubmissions");

    @Test
    void everyCallOfAStoreIsMeasured() {
        List<String> unmeasured = new ArrayList<>();
        for (Method method : TaskStore.class.getMethods()) {
            // A default method calls one of the others, unless the measured store has it too.
            boolean measured = Arrays.stream(ObservedTaskStore.class.getDeclaredMethods())
                    .anyMatch(own -> own.getName().equals(method.getName())
                            && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
            if (!measured && !method.isDefault() && !NO_CALLS.contains(method.getName())) {
                unmeasured.add(method.toGenericString());
            }
        }
        assertThat(unmeasured)
                .as("override these in ObservedTaskStore, or name them here if they ask nothing of the storage")
                .isEmpty();
    }
}
