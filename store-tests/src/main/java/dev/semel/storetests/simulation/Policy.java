package dev.semel.storetests.simulation;

import java.util.Locale;

/** What a simulated handler does about an effect whose outcome is unknown; the effect is named after it. */
enum Policy {
    /** Calls again, with the same token. */
    RETRY,
    /** Calls again while the provider knows the token, and is parked after that. */
    WINDOW,
    /** Calls again while the provider knows the token, and fails for good after that. */
    FAIL_AFTER_WINDOW,
    /** Asks the provider. */
    PROBE,
    /** Waits for a person. */
    PARK,
    /** Takes it for done. */
    ASSUME;

    /** The name of the effect. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the provider of such effects recognises a token that it was charged with before. */
    boolean honoursTokens() {
        return this == RETRY || this == WINDOW || this == FAIL_AFTER_WINDOW;
    }
}
