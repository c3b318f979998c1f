package dev.semel.task;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The rules for a submission whose identity already has a task.
 *
 * @param pending the rule while the existing task is pending
 * @param running the rule while it is running
 * @param waiting the rule while it is waiting
 * @param completed the rule after it completed
 * @param failed the rule after it failed
 * @param cancelled the rule after it was cancelled
 * @param timedOut the rule after it timed out
 * @param otherInput the rule for a different input or type, which is applied first
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

    /** Checks that each rule is given. */
    public ReusePolicy {
        for (WhileOpen rule : new WhileOpen[] {pending, running, waiting}) {
            Limits.notNull("rule for open tasks", rule);
        }
        for (AfterEnd rule : new AfterEnd[] {completed, failed, cancelled, timedOut}) {
            Limits.notNull("rule for ended tasks", rule);
        }
        Limits.notNull("rule for other input", otherInput);
    }

    /** The rule while the existing task is open. */
    public enum WhileOpen {
        /** Returns the existing task. */
        RETURN,
        /** Rejects the submission, with an error that names the existing task. */
        REJECT,
        /** Cancels the existing task and creates a new one, which becomes due when the old one has ended. */
        REPLACE
    }

    /** The rule after the existing task has ended. */
    public enum AfterEnd {
        /** Returns the existing task and its stored outcome. */
        RETURN,
        /** Rejects the submission, with an error that names the existing task. */
        REJECT,
        /** Creates a new task under the same identity and keeps the old one as history. */
        RERUN
    }

    /** The rule for a submission with the same identity and a different input or type. */
    public enum OtherInput {
        /** Rejects the submission with an error; nothing changes. */
        CONFLICT,
        /** Returns the existing task with a warning that the input differs. */
        WARN,
        /** Treats the submission as if the input were the same. */
        IGNORE
    }

    /**
     * Returns the default policy: an open or completed task is returned, a task that ended without success is run
     * again.
     *
     * @return the policy
     */
    public static ReusePolicy allowFailedOnly() {
        return of(WhileOpen.RETURN, AfterEnd.RETURN, AfterEnd.RERUN);
    }

    /** {@return the policy that never creates a second task within the window, however the first one ended} */
    public static ReusePolicy never() {
        return of(WhileOpen.RETURN, AfterEnd.RETURN, AfterEnd.RETURN);
    }

    /**
     * Returns the policy for one task at a time: an open task is returned, a finished one is run again, successful or
     * not.
     *
     * @return the policy
     */
    public static ReusePolicy afterFinish() {
        return of(WhileOpen.RETURN, AfterEnd.RERUN, AfterEnd.RERUN);
    }

    /**
     * Returns a policy that treats all open states alike and all ends without success alike, and rejects different
     * input as a conflict.
     *
     * @param open the rule while the existing task is open
     * @param completed the rule after it completed
     * @param unsuccessful the rule after it failed, was cancelled or timed out
     * @return the policy
     */
    public static ReusePolicy of(WhileOpen open, AfterEnd completed, AfterEnd unsuccessful) {
        return new ReusePolicy(
                open, open, open, completed, unsuccessful, unsuccessful, unsuccessful, OtherInput.CONFLICT);
    }

    /**
     * Returns this policy with another rule while the existing task is open: pending, running or waiting.
     *
     * @param rule the rule
     * @return a new policy
     */
    public ReusePolicy whileOpen(WhileOpen rule) {
        return new ReusePolicy(rule, rule, rule, completed, failed, cancelled, timedOut, otherInput);
    }

    /**
     * Returns this policy with another rule after the existing task completed.
     *
     * @param rule the rule
     * @return a new policy
     */
    public ReusePolicy afterCompletion(AfterEnd rule) {
        return new ReusePolicy(pending, running, waiting, rule, failed, cancelled, timedOut, otherInput);
    }

    /**
     * Returns this policy with another rule after the existing task failed, was cancelled or timed out.
     *
     * @param rule the rule
     * @return a new policy
     */
    public ReusePolicy afterFailure(AfterEnd rule) {
        return new ReusePolicy(pending, running, waiting, completed, rule, rule, rule, otherInput);
    }

    /**
     * Returns this policy with another rule for different input.
     *
     * @param answer the rule
     * @return a new policy
     */
    public ReusePolicy onOtherInput(OtherInput answer) {
        return new ReusePolicy(pending, running, waiting, completed, failed, cancelled, timedOut, answer);
    }

    /**
     * Reads a policy.
     *
     * @param text {@code allow_failed_only}, {@code never} or {@code after_finish}, followed by exceptions, separated
     *     by commas: {@code pending}, {@code running}, {@code waiting} or, for all three, {@code open} with
     *     {@code return}, {@code reject} or {@code replace}; {@code completed}, {@code failed}, {@code cancelled},
     *     {@code timed_out} or, for the last three, {@code unsuccessful} with {@code return}, {@code reject} or
     *     {@code rerun}; {@code other_input} with {@code conflict}, {@code warn} or {@code ignore}. For example
     *     {@code never, open=reject}
     * @return the policy
     * @throws InvalidInput if the text has another form
     */
    public static ReusePolicy parse(String text) {
        ReusePolicy policy = allowFailedOnly();
        String[] words = Limits.notNull("text of a reuse policy", text).split(",", -1);
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
                        "A reuse policy is allow_failed_only, never or after_finish, optionally followed by"
                                + " exceptions, such as \"never, open=reject\", but got \""
                                + Limits.shown(text) + "\".");
            }
        }
        return policy;
    }

    /**
     * Writes the policy as {@link #parse} reads it.
     *
     * @return the name of the preset if the policy equals one, otherwise a preset followed by a rule for every state
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
            throw new InvalidInput("A reuse policy has rules for " + String.join(", ", NAMES) + ", but got \""
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
