package dev.semel.task;

import java.util.Comparator;

/**
 * Names one effect: a side effect inside a handler belongs to the lineage of its task, so that every later attempt, redrive
 * and rerun finds what an earlier one recorded.
 *
 * @param lineage the id of the lineage's first task
 * @param name the effect's name
 * @param index which one of those with this name, for effects in a loop; 0 for the first or only one
 */
public record EffectId(TaskId lineage, String name, int index) implements Comparable<EffectId> {

    /** The highest index, and with it the most effects of one name. */
    public static final int MAX_INDEX = 99_999;

    private static final Comparator<EffectId> ORDER = Comparator.comparing(EffectId::lineage)
            .thenComparing(EffectId::name)
            .thenComparingInt(EffectId::index);

    /** Checks the name and the index. */
    public EffectId {
        Limits.name("effect", name);
        if (index < 0 || index > MAX_INDEX) {
            throw new InvalidInput("The index of effect \"" + name + "\" is 0 to " + MAX_INDEX + ", but got \"" + index
                    + "\". Use several names, or several tasks.");
        }
    }

    /**
     * The idempotency token of this effect: the same over retries, redrives and reruns of the lineage.
     *
     * @return 32 hexadecimal characters
     */
    public String token() {
        return Tokens.token(lineage, name, index);
    }

    /**
     * The name and the index as people write them.
     *
     * @return for example {@code charge}, or {@code charge#3} with an index above 0
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
     * @throws InvalidInput if it is no label
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

    /** In order of lineages, which is that of time, then of names and indexes. */
    @Override
    public int compareTo(EffectId other) {
        return ORDER.compare(this, other);
    }
}
