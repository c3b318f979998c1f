package dev.semel.benchmarks.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A submission.
 *
 * @param number the number of the task; the same for duplicates
 * @param key its key, or null if it has none
 * @param filler the rest of the input
 */
record Piece(int number, @Nullable String key, String filler) {

    /**
     * The default filler: with the number and the names of both, about a hundred characters, like a few ids and an
     * amount.
     */
    static final String USUAL = "x".repeat(70);

    static Piece of(int number, boolean keyed) {
        return new Piece(number, keyed ? key(number) : null, USUAL);
    }

    /** Returns a key; keys ascend like order numbers. */
    static String key(int number) {
        return String.format(Locale.ROOT, "order-%010d", number);
    }

    /** Returns a name, for libraries that require one for every task, with or without key. */
    String name() {
        return key == null ? key(number) : key;
    }

    /** Returns submissions of new tasks. */
    static List<Piece> fresh(int count, boolean keyed) {
        List<Piece> pieces = new ArrayList<>(count);
        for (int number = 0; number < count; number++) {
            pieces.add(of(number, keyed));
        }
        return pieces;
    }

    /**
     * Returns submissions of which some are duplicates of the existing tasks 0 to {@code known}, and the others are
     * new.
     */
    static List<Piece> mixed(int known, int count, boolean halfNew) {
        List<Piece> pieces = new ArrayList<>(count);
        int next = known;
        for (int i = 0; i < count; i++) {
            pieces.add(of(halfNew && i % 2 == 1 ? next++ : i % known, true));
        }
        return pieces;
    }
}
