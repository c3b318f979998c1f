package dev.semel.testkit.virtualtime;

import org.jspecify.annotations.Nullable;

/** Thrown in a world on virtual time that cannot continue, because something is broken. */
public class WorldFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates a failure.
     *
     * @param message what is broken
     * @param cause the cause, or null
     */
    public WorldFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** More events happened than the world may have: something repeats without end. */
    public static final class Endless extends WorldFailure {

        private static final long serialVersionUID = 1L;

        Endless(String message) {
            super(message, null);
        }
    }
}
