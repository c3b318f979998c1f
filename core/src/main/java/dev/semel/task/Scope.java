package dev.semel.task;

import java.util.Locale;

/**
 * The name space of a key: which submissions it can collide with at all.
 *
 * @param kind what gives the scope its name
 * @param custom the name of a custom scope; empty for every other kind
 */
public record Scope(Kind kind, String custom) {

    /** What gives a scope its name. */
    public enum Kind {
        /** The task type: the default. */
        TYPE,
        /** The queue. */
        QUEUE,
        /** The tenant: the key is unique over all queues and types. */
        TENANT,
        /** A name of the caller's own. */
        CUSTOM;

        /**
         * The word for this kind outside of Java.
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
        if (kind == Kind.CUSTOM) {
            Limits.name("scope", custom);
        } else if (!custom.isEmpty()) {
            throw new InvalidInput("Only a custom scope has a name of its own, but got " + kind + " with \""
                    + Limits.shown(custom) + "\".");
        }
    }

    /**
     * The scope of one task type.
     *
     * @return the default scope
     */
    public static Scope type() {
        return TYPE;
    }

    /**
     * The scope of one queue, over all its task types.
     *
     * @return the scope
     */
    public static Scope queue() {
        return QUEUE;
    }

    /**
     * The scope of the tenant, over all queues and types.
     *
     * @return the scope
     */
    public static Scope tenant() {
        return TENANT;
    }

    /**
     * A scope of the caller's own.
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
        return switch (word) {
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

    /**
     * The word for this scope, as {@link #parse} reads it.
     *
     * @return the word
     */
    public String word() {
        return kind == Kind.CUSTOM ? "custom:" + custom : kind.word();
    }

    /**
     * The name that this scope has for one submission.
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
