package dev.semel.store;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a person says about an effect whose outcome is unknown.
 *
 * @param verdict what became of it
 * @param result for one that happened, its result in JSON, or null for none; null otherwise
 * @param by who says so; kept with the effect
 * @param reason how they know; kept with the effect
 */
public record Resolution(Verdict verdict, @Nullable String result, String by, String reason) {

    /** What a person says became of an effect. */
    public enum Verdict {
        /** It happened: the task goes on with the given result. */
        DONE,
        /** It did not happen: the task goes on and runs it. */
        NOT_DONE,
        /** It cannot be found out, or is not worth it: a parked task fails. The effect stays unknown. */
        GIVE_UP;

        /**
         * The word for this verdict outside of Java.
         *
         * @return the name in lower case
         */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks that it is complete. */
    public Resolution {
        by = text("name of whoever resolves an effect", by, Limits.KEY_LENGTH);
        reason = text("reason", reason, Limits.ERROR_LENGTH);
        if (result != null && verdict != Verdict.DONE) {
            throw new InvalidInput("Only an effect that is done has a result, but got one for \"" + verdict.word()
                    + "\". Leave it out.");
        }
    }

    /** Tells whether an earlier word was the same. */
    boolean isSaidIn(@Nullable Resolution earlier) {
        return withoutResult().equals(earlier);
    }

    /** As it is kept: the result is the effect's own. */
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
