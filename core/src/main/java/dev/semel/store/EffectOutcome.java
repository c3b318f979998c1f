package dev.semel.store;

import dev.semel.task.Limits;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The outcome of an effect, as an attempt records it. */
public sealed interface EffectOutcome {

    /**
     * It happened.
     *
     * @param result its result in JSON, or null for none
     * @param how how that is known
     */
    record Done(@Nullable String result, How how) implements EffectOutcome {

        /** {@return how it is known, without the result} */
        @Override
        public String toString() {
            return "Done[" + how.word() + "]";
        }
    }

    /**
     * Nothing happened.
     *
     * @param reason why not
     * @param how how that is known
     */
    record NotDone(String reason, How how) implements EffectOutcome {

        /** Truncates the reason. */
        public NotDone {
            reason = Limits.error(reason);
        }
    }

    /** How an outcome is known. */
    enum How {
        /** The effect ran and returned it. */
        RAN,
        /** A probe asked the provider. */
        PROBED,
        /** The policy of the handler assumes that it is done. */
        ASSUMED,
        /** A person resolved it. */
        RESOLVED;

        /**
         * Returns the name outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
