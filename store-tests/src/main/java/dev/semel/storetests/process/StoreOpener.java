package dev.semel.storetests.process;

import dev.semel.store.TaskStore;

/** How a process opens the store: a public class with a public constructor that takes nothing. */
public interface StoreOpener {

    /**
     * Opens the store.
     *
     * @param address where it is: a path, a URL
     * @return the store
     */
    TaskStore open(String address);

    /**
     * Opens a store by the name of an opener, as another process got it.
     *
     * @param opener the name of the class
     * @param address where the store is
     * @return the store
     */
    static TaskStore open(String opener, String address) {
        try {
            return Class.forName(opener)
                    .asSubclass(StoreOpener.class)
                    .getConstructor()
                    .newInstance()
                    .open(address);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "\"" + opener + "\" is no public class with a public constructor that takes nothing", e);
        }
    }
}
