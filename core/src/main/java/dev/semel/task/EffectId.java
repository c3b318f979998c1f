package dev.semel.task;

import java.util.Comparator;

/**
 * The identity of one effect. An effect belongs to the lineage of its task, so that every later attempt, redrive and
 * rerun finds what an earlier one recorded.
 *
 * @param lineage the id of the lineage's first task
 * @param name the effect's name. A local step of a workflow that belongs to a later generation of its history ends with {@code @} and the
 *     number of that, and before that the run if it is not the first, so it is another effect than the one of the same name before
 * @param index zero-based index among the effects with this name, for effects in a loop
 */
public record EffectId(TaskId lineage, String name, int index) implements Comparable<EffectId> {

    /** The highest index, which limits the number of effects with one name. */
    public static final int MAX_INDEX = 99_999;

    // Not a character of a name that users give.
    private static final char GENERATION = '@';
    private static final int MOST_DIGITS = 10;

    private static final Comparator<EffectId> ORDER = Comparator.comparing(EffectId::lineage)
            .thenComparing(EffectId::name)
            .thenComparingInt(EffectId::index);

    /** Checks the name and the index. */
    public EffectId {
        Limits.name("effect", withoutGeneration(withoutGeneration(name)));
        if (index < 0 || index > MAX_INDEX) {
            throw new InvalidInput("The index of effect \"" + name + "\" is 0 to " + MAX_INDEX + ", but got \"" + index
                    + "\". Use several names, or several tasks.");
        }
    }

    /**
     * Returns the name of a local step in a generation of a workflow's history.
     *
     * @param name the name that the code gives it
     * @param run the run of the workflow: a rerun has generations of its own, and a ledger in common with earlier runs
     * @param generation the generation, from 1
     * @return its name in the ledger: {@code charge} in the first generation of every run, {@code charge@2} in the second generation of the first run,
     *     {@code charge@3@2} in the second generation of the third run
     */
    public static String ofGeneration(String name, int run, int generation) {
        if (generation == 1) {
            return name;
        }
        return name + (run == 1 ? "" : GENERATION + Integer.toString(run)) + GENERATION + generation;
    }

    private static String withoutGeneration(String name) {
        int mark = name.lastIndexOf(GENERATION);
        boolean marked = mark > 0
                && mark < name.length() - 1
                && name.length() - mark <= MOST_DIGITS
                && name.chars().skip(mark + 1L).allMatch(digit -> digit >= '0' && digit <= '9');
        return marked ? name.substring(0, mark) : name;
    }

    /**
     * Returns the idempotency token of this effect: the same over retries, redrives and reruns of the lineage.
     *
     * @return 32 hexadecimal characters
     */
    public String token() {
        return Tokens.unchecked(lineage, name, index);
    }

    /**
     * Returns the name and the index in their text form.
     *
     * @return for example {@code charge}, or {@code charge#3} if the index is above 0
     */
    public String label() {
        return index == 0 ? name : name + "#" + index;
    }

    /**
     * Reads a label.
     *
     * @param lineage the lineage
     * @param label as {@link #label} gives it
     * @return the effect
     * @throws InvalidInput if the text is not a label
     */
    public static EffectId parse(TaskId lineage, String label) {
        int mark = label.lastIndexOf('#');
        if (mark < 0) {
            return new EffectId(lineage, label, 0);
        }
        try {
            return new EffectId(lineage, label.substring(0, mark), Integer.parseInt(label.substring(mark + 1)));
        } catch (NumberFormatException e) {
            throw new InvalidInput(
                    "An effect is named like charge, or like charge#3 with its index, but got \"" + Limits.shown(label)
                            + "\".",
                    e);
        }
    }

    /** Compares by lineage, which is chronological, then by name and index. */
    @Override
    public int compareTo(EffectId other) {
        return ORDER.compare(this, other);
    }
}
