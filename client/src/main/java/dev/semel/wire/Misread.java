package dev.semel.wire;

import dev.semel.task.Limits;

/** A body that cannot be read. It stays inside this package: {@link Call} says what it means for its caller. */
final class Misread extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean understood;

    private Misread(String message, boolean understood) {
        super(message, null, false, false);
        this.understood = understood;
    }

    /** A body that is no JSON, or exceeds a limit. */
    static Misread broken(String message) {
        return new Misread(message, false);
    }

    /** JSON that has another form than the one expected. */
    static Misread wrong(String message) {
        return new Misread(message, true);
    }

    /** A kind or word that this version does not know. */
    static Misread unknown(String what, String got) {
        return wrong("expected " + what + " that version " + Protocol.VERSION + " of the protocol knows, but got \""
                + Limits.shown(got) + "\"");
    }

    /** Whether it was JSON at all. */
    boolean isJson() {
        return understood;
    }
}
