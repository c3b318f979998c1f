package dev.semel.task;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * The reason why a value could not be converted to JSON or back, without the values themselves: they must not reach a
 * log or the errors of a task.
 */
public final class JsonFailure {

    private static final int LONGEST = 300;

    // Greedy: a quoted value may itself contain quotation marks.
    private static final Pattern QUOTED = Pattern.compile("\".*\"|'.*'", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.$`])[-+]?\\d[\\d.,eE+-]*");
    // An advice that is for users of Jackson.
    private static final Pattern ADVICE = Pattern.compile("\\s*\\(to avoid exception[^)]*\\)");

    private JsonFailure() {}

    /**
     * Describes a failed conversion.
     *
     * @param thrown the exception of the JSON library
     * @return the reason and, where it is known, the place in the document; no values of the document
     */
    public static String reason(Throwable thrown) {
        if (!(thrown instanceof JacksonException e)) {
            return thrown.getClass().getSimpleName();
        }
        String place = e.getPath().isEmpty() ? "" : " at " + Limits.shown(e.getPathReference());
        return what(e) + place;
    }

    private static String what(JacksonException e) {
        Throwable cause = e.getCause();
        if (e instanceof ValueInstantiationException && cause != null) {
            // Its message is that of a constructor of the user, which may contain values in any form.
            return "its constructor threw " + cause.getClass().getName();
        }
        return withoutValues(e.getClass().getSimpleName(), e.getOriginalMessage());
    }

    private static String withoutValues(String name, @Nullable String message) {
        if (message == null || message.isBlank()) {
            return name;
        }
        String first = message.lines().findFirst().orElse(name);
        String safe = ADVICE.matcher(
                        NUMBER.matcher(QUOTED.matcher(first).replaceAll("…")).replaceAll("…"))
                .replaceAll("");
        String cut = safe.length() <= LONGEST ? safe : safe.substring(0, LONGEST) + "…";
        return name + ": " + cut;
    }
}
