package dev.semel.spring.test;

import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A store whose listeners are also notified when the test has moved the clock. */
final class AnnouncingTaskStore extends ForwardingTaskStore {

    private final Set<StoreListener> listeners = ConcurrentHashMap.newKeySet();

    AnnouncingTaskStore(TaskStore store) {
        super(store);
    }

    @Override
    public Registration listen(StoreListener listener) {
        Registration registration = super.listen(listener);
        listeners.add(listener);
        return () -> {
            listeners.remove(listener);
            registration.close();
        };
    }

    void announce() {
        listeners.forEach(listener -> listener.tasksMayBeDue(List.of()));
    }
}
