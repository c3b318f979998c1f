package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A person's decision about an effect with unknown outcome.
 *
 * @param verdict the decision
 * @param result for an effect that is done, its result in JSON, or null for none; null otherwise
 * @param by who decides; kept with the effect
 * @param reason how they know; kept with the effect
 */
public record Resolution(Verdict verdict, @Nullable String result, String by, String reason) {

    /** The possible decisions. */
    public enum Verdict {
        /** It happened: the task continues with the given result. */
        DONE,
        /** It did not happen: the task continues and runs it. */
        NOT_DONE,
        /** It cannot be found out, or is not worth it: a parked task fails. The effect stays unknown. */
        GIVE_UP;

        /**
         * Returns the name outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks that name and reason are given, and a result only for an effect that is done. */
    public Resolution {
        by = text("name of the person who resolves an effect", by, Limits.KEY_LENGTH);
        reason = text("reason", reason, Limits.ERROR_LENGTH);
        if (result != null && verdict != Verdict.DONE) {
            throw new InvalidInput("Only an effect that is done has a result, but got one for \"" + verdict.word()
                    + "\". Leave it out.");
        }
    }

    /** Returns whether an earlier resolution was the same. */
    boolean isRepeatOf(@Nullable Resolution earlier) {
        return withoutResult().equals(earlier);
    }

    /** Returns the resolution as it is kept: without the result, which is kept with the effect. */
    Resolution withoutResult() {
        return new Resolution(verdict, null, by, reason);
    }

    private static String text(String what, String text, int most) {
        String stripped = text.strip();
        if (stripped.isEmpty() || stripped.length() > most || stripped.chars().anyMatch(c -> c == 0)) {
            throw new InvalidInput("The " + what + " has 1 to " + most + " characters, but got " + stripped.length()
                    + ": \"" + Limits.shown(stripped) + "\".");
        }
        return stripped;
    }
}
