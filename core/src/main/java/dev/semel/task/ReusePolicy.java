package dev.semel.task;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What becomes of a submission whose identity has a task already.
 *
 * @param pending what to do while that task is pending
 * @param running what to do while it is running
 * @param waiting what to do while it is waiting
 * @param completed what to do after it completed
 * @param failed what to do after it failed
 * @param cancelled what to do after it was cancelled
 * @param timedOut what to do after it timed out
 * @param otherInput what to do first when the new input or type is another one
 */
public record ReusePolicy(
        WhileOpen pending,
        WhileOpen running,
        WhileOpen waiting,
        AfterEnd completed,
        AfterEnd failed,
        AfterEnd cancelled,
        AfterEnd timedOut,
        OtherInput otherInput) {

    private static final List<String> PRESETS = List.of("allow_failed_only", "never", "after_finish");

    private static final List<String> NAMES = List.of(
            "open",
            "pending",
            "running",
            "waiting",
            "completed",
            "unsuccessful",
            "failed",
            "cancelled",
            "timed_out",
            "other_input");

    /** What to do while the existing task is open. */
    public enum WhileOpen {
        /** Answer with the existing task. */
        RETURN,
        /** Answer with an error that names it. */
        REJECT,
        /** Cancel it and make a new task, due when the old one has really ended. */
        REPLACE
    }

    /** What to do after the existing task has ended. */
    public enum AfterEnd {
        /** Answer with the existing task and its stored outcome. */
        RETURN,
        /** Answer with an error that names it. */
        REJECT,
        /** Make a new task under the same identity and keep the old one as history. */
        RERUN
    }

    /** What to do when the same identity comes with another input or type. */
    public enum OtherInput {
        /** Answer with an error; nothing changes. */
        CONFLICT,
        /** Answer with the existing task and say that the input differs. */
        WARN,
        /** Go on as if the input were the same. */
        IGNORE
    }

    /**
     * The default: an open or completed task is returned, one that ended without success is run again.
     *
     * @return the policy
     */
    public static ReusePolicy allowFailedOnly() {
        return of(WhileOpen.RETURN, AfterEnd.RETURN, AfterEnd.RERUN);
    }

    /**
     * Never a second task within the window, whatever became of the first.
     *
     * @return the policy
     */
    public static ReusePolicy never() {
        return of(WhileOpen.RETURN, AfterEnd.RETURN, AfterEnd.RETURN);
    }

    /**
     * One at a time: an open task is returned, a finished one is run again, successful or not.
     *
     * @return the policy
     */
    public static ReusePolicy afterFinish() {
        return of(WhileOpen.RETURN, AfterEnd.RERUN, AfterEnd.RERUN);
    }

    /**
     * A policy that treats all open states alike and all ends without success alike, and answers other input with a
     * conflict.
     *
     * @param open what to do while the existing task is open
     * @param completed what to do after it completed
     * @param unsuccessful what to do after it failed, was cancelled or timed out
     * @return the policy
     */
    public static ReusePolicy of(WhileOpen open, AfterEnd completed, AfterEnd unsuccessful) {
        return new ReusePolicy(
                open, open, open, completed, unsuccessful, unsuccessful, unsuccessful, OtherInput.CONFLICT);
    }

    /**
     * This policy with another answer to other input.
     *
     * @param answer the answer
     * @return a new policy
     */
    public ReusePolicy onOtherInput(OtherInput answer) {
        return new ReusePolicy(pending, running, waiting, completed, failed, cancelled, timedOut, answer);
    }

    /**
     * Reads a policy.
     *
     * @param text {@code allow_failed_only}, {@code never} or {@code after_finish}, and behind it, separated by commas, what
     *     is different: {@code pending}, {@code running}, {@code waiting} or, for all three, {@code open} with
     *     {@code return}, {@code reject} or {@code replace}; {@code completed}, {@code failed}, {@code cancelled},
     *     {@code timed_out} or, for the last three, {@code unsuccessful} with {@code return}, {@code reject} or
     *     {@code rerun}; {@code other_input} with {@code conflict}, {@code warn} or {@code ignore}. For example
     *     {@code never, open=reject}
     * @return the policy
     * @throws InvalidInput if the text has another form
     */
    public static ReusePolicy parse(String text) {
        ReusePolicy policy = allowFailedOnly();
        String[] words = text.split(",", -1);
        for (int i = 0; i < words.length; i++) {
            String word = words[i].strip();
            int sign = word.indexOf('=');
            if (sign < 0 && i == 0) {
                policy = preset(word);
            } else if (sign > 0) {
                policy = policy.with(
                        word.substring(0, sign).strip(),
                        word.substring(sign + 1).strip());
            } else {
                throw new InvalidInput(
                        "A reuse policy is allow_failed_only, never or after_finish, and behind it what is"
                                + " different, such as \"never, open=reject\", but got \"" + Limits.shown(text)
                                + "\".");
            }
        }
        return policy;
    }

    /**
     * Writes the policy as {@link #parse} reads it.
     *
     * @return the word of a preset where it is one, with what is different behind it
     */
    public String text() {
        for (String preset : PRESETS) {
            if (equals(preset(preset))) {
                return preset;
            }
        }
        return "allow_failed_only, pending=" + word(pending) + ", running=" + word(running) + ", waiting="
                + word(waiting) + ", completed=" + word(completed) + ", failed=" + word(failed) + ", cancelled="
                + word(cancelled) + ", timed_out=" + word(timedOut) + ", other_input=" + word(otherInput);
    }

    private static ReusePolicy preset(String word) {
        return switch (word) {
            case "allow_failed_only" -> allowFailedOnly();
            case "never" -> never();
            case "after_finish" -> afterFinish();
            default ->
                throw new InvalidInput("A reuse policy begins with allow_failed_only, never or after_finish, but got \""
                        + Limits.shown(word) + "\".");
        };
    }

    private ReusePolicy with(String name, String word) {
        boolean open = name.equals("open");
        boolean unsuccessful = name.equals("unsuccessful");
        if (!NAMES.contains(name)) {
            throw new InvalidInput("A reuse policy says what to do for " + String.join(", ", NAMES) + ", but got \""
                    + Limits.shown(name) + "\".");
        }
        return new ReusePolicy(
                open || name.equals("pending") ? choice(WhileOpen.class, name, word) : pending,
                open || name.equals("running") ? choice(WhileOpen.class, name, word) : running,
                open || name.equals("waiting") ? choice(WhileOpen.class, name, word) : waiting,
                name.equals("completed") ? choice(AfterEnd.class, name, word) : completed,
                unsuccessful || name.equals("failed") ? choice(AfterEnd.class, name, word) : failed,
                unsuccessful || name.equals("cancelled") ? choice(AfterEnd.class, name, word) : cancelled,
                unsuccessful || name.equals("timed_out") ? choice(AfterEnd.class, name, word) : timedOut,
                name.equals("other_input") ? choice(OtherInput.class, name, word) : otherInput);
    }

    private static <E extends Enum<E>> E choice(Class<E> choices, String name, String word) {
        for (E choice : choices.getEnumConstants()) {
            if (word(choice).equals(word)) {
                return choice;
            }
        }
        throw new InvalidInput("A reuse policy's " + name + " is one of "
                + Arrays.stream(choices.getEnumConstants())
                        .map(ReusePolicy::word)
                        .collect(Collectors.joining(", "))
                + ", but got \"" + Limits.shown(word) + "\".");
    }

    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
