package dev.semel.engine;

import dev.semel.task.InvalidInput;
import dev.semel.task.TaskType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The handlers of a worker: one for each task type, and optionally one for all other types. */
public final class Handlers {

    private final Map<String, Registered<?, ?>> byType;
    private final @Nullable Registered<RawJson, RawJson> anyType;

    private Handlers(Map<String, Registered<?, ?>> byType, @Nullable Registered<RawJson, RawJson> anyType) {
        this.byType = Map.copyOf(byType);
        this.anyType = anyType;
    }

    /**
     * Returns a new builder.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the types to claim, or null for all. */
    @Nullable
    Set<String> types() {
        return anyType == null ? byType.keySet() : null;
    }

    /** Returns the types that have a handler of their own. */
    List<TaskType<?, ?>> ownTypes() {
        List<TaskType<?, ?>> types = new ArrayList<>();
        byType.values().forEach(registered -> types.add(registered.type()));
        return types;
    }

    /** Returns the handler of a type. There is one unless a store breaks its laws: the worker claims no other types. */
    Registered<?, ?> of(String type) {
        Registered<?, ?> registered = byType.get(type);
        if (registered == null) {
            registered = anyType;
        }
        if (registered == null) {
            throw new IllegalStateException(
                    "The store returned a task of type \"" + type + "\", which this worker did not claim.");
        }
        return registered;
    }

    /** A builder of handlers. */
    public static final class Builder {

        private final Map<String, Registered<?, ?>> byType = new LinkedHashMap<>();
        private @Nullable Registered<RawJson, RawJson> anyType;

        private Builder() {}

        /**
         * Adds the handler of a type.
         *
         * @param type the type
         * @param handler its handler
         * @param <I> the class of the input
         * @param <O> the class of the output
         * @return this builder
         */
        public <I, O extends @Nullable Object> Builder add(TaskType<I, O> type, Handler<I, O> handler) {
            if (byType.putIfAbsent(type.name(), Registered.ofType(type, handler)) != null) {
                throw new InvalidInput("A worker has one handler for each task type, but got a second one for \""
                        + type.name() + "\".");
            }
            return this;
        }

        /**
         * Adds the handler of a type whose tasks are workflows.
         *
         * @param type the type
         * @param handler its handler
         * @param <I> the class of the input
         * @param <O> the class of the output
         * @return this builder
         */
        public <I, O extends @Nullable Object> Builder addReplayed(TaskType<I, O> type, ReplayedHandler<I, O> handler) {
            return add(type, (context, input) -> handler.handle(context, context.journal(), input));
        }

        /**
         * Adds the handler of all types that have none of their own.
         *
         * @param settings the retry policy and timeout to use; its name does not matter
         * @param handler the handler
         * @return this builder
         */
        public Builder addForAnyType(TaskType<RawJson, RawJson> settings, Handler<RawJson, RawJson> handler) {
            if (anyType != null) {
                throw new InvalidInput("A worker has one handler for any type, but got a second one.");
            }
            anyType = Registered.ofAnyType(settings, handler);
            return this;
        }

        /**
         * Builds the handlers.
         *
         * @return the handlers
         */
        public Handlers build() {
            if (byType.isEmpty() && anyType == null) {
                throw new InvalidInput(
                        "A worker needs at least one handler, but got none. Add one with handle(type, …).");
            }
            return new Handlers(byType, anyType);
        }
    }
}
