package dev.semel.store;

import dev.semel.task.Limits;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How an effect came out, as an attempt records it. */
public sealed interface EffectOutcome {

    /**
     * It happened.
     *
     * @param result its result in JSON, or null for none
     * @param how how that is known
     */
    record Done(@Nullable String result, How how) implements EffectOutcome {}

    /**
     * Nothing happened.
     *
     * @param reason why not
     * @param how how that is known
     */
    record NotDone(String reason, How how) implements EffectOutcome {

        /** Cuts the reason. */
        public NotDone {
            reason = Limits.error(reason);
        }
    }

    /** How an outcome is known. */
    enum How {
        /** The effect itself ran and said so. */
        RAN,
        /** The provider was asked. */
        PROBED,
        /** The handler's author said to take it for done. */
        ASSUMED,
        /** A person said so. */
        RESOLVED;

        /**
         * The word for this outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
