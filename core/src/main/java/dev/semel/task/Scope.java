package dev.semel.task;

import java.util.Locale;

/**
 * The name space of a key. Equal keys in different scopes never collide.
 *
 * @param kind the kind of the scope
 * @param custom the name of a custom scope; empty for every other kind
 */
public record Scope(Kind kind, String custom) {

    /** The kind of a scope, which determines its name. */
    public enum Kind {
        /** The task type, which is the default. */
        TYPE,
        /** The queue. */
        QUEUE,
        /** The tenant: the key is unique over all queues and types. */
        TENANT,
        /** A custom name. */
        CUSTOM;

        /**
         * Returns the word for this kind outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Scope TYPE = new Scope(Kind.TYPE, "");
    private static final Scope QUEUE = new Scope(Kind.QUEUE, "");
    private static final Scope TENANT = new Scope(Kind.TENANT, "");

    /** Checks the name of a custom scope. */
    public Scope {
        Limits.notNull("kind of scope", kind);
        if (kind == Kind.CUSTOM) {
            Limits.name("scope", custom);
        } else if (!Limits.notNull("scope name", custom).isEmpty()) {
            throw new InvalidInput("Only a custom scope has its own name, but got " + kind + " with \""
                    + Limits.shown(custom) + "\".");
        }
    }

    /**
     * Returns the scope of one task type.
     *
     * @return the default scope
     */
    public static Scope type() {
        return TYPE;
    }

    /** {@return the scope of one queue, over all its task types} */
    public static Scope queue() {
        return QUEUE;
    }

    /** {@return the scope of the tenant, over all queues and types} */
    public static Scope tenant() {
        return TENANT;
    }

    /**
     * Returns a custom scope.
     *
     * @param name its name
     * @return the scope
     */
    public static Scope custom(String name) {
        return new Scope(Kind.CUSTOM, name);
    }

    /**
     * Reads a scope from its word: {@code type}, {@code queue}, {@code tenant} or {@code custom:NAME}.
     *
     * @param word the word
     * @return the scope
     * @throws InvalidInput if there is no such scope
     */
    public static Scope parse(String word) {
        return switch (Limits.notNull("scope", word)) {
            case "type" -> TYPE;
            case "queue" -> QUEUE;
            case "tenant" -> TENANT;
            default -> {
                if (word.startsWith("custom:")) {
                    yield custom(word.substring("custom:".length()));
                }
                throw new InvalidInput(
                        "A scope is type, queue, tenant or custom:NAME, but got \"" + Limits.shown(word) + "\".");
            }
        };
    }

    /** {@return the word for this scope, as {@link #parse} reads it} */
    public String word() {
        return kind == Kind.CUSTOM ? "custom:" + custom : kind.word();
    }

    /**
     * Returns the name that this scope has for one submission.
     *
     * @param queue the submission's queue
     * @param type the submission's task type
     * @return the type, the queue, the empty name of the tenant's scope, or the custom name
     */
    public String nameFor(String queue, String type) {
        return switch (kind) {
            case TYPE -> type;
            case QUEUE -> queue;
            case TENANT -> "";
            case CUSTOM -> custom;
        };
    }
}
