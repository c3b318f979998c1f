package dev.semel.testkit.virtualtime;

import org.jspecify.annotations.Nullable;

/** Thrown in the middle of a world on virtual time where going on makes no sense, because something is broken already. */
public class WorldFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Reports what is broken.
     *
     * @param message what is broken
     * @param cause what was thrown, or null
     */
    public WorldFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** More events than the world may have: something goes round in circles. */
    public static final class Endless extends WorldFailure {

        private static final long serialVersionUID = 1L;

        Endless(String message) {
            super(message, null);
        }
    }
}
