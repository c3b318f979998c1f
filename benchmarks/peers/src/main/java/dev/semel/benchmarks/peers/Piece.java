package dev.semel.benchmarks.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One submission to be made.
 *
 * @param number which task it is about; the same for duplicates
 * @param key its key, or null if it has none
 * @param filler the input beside the number
 */
record Piece(int number, @Nullable String key, String filler) {

    /** With the number and the names of both, about a hundred characters: what a few ids and an amount take. */
    static final String USUAL = "x".repeat(70);

    static Piece of(int number, boolean keyed) {
        return new Piece(number, keyed ? key(number) : null, USUAL);
    }

    /** Keys that rise as order numbers do. */
    static String key(int number) {
        return String.format(Locale.ROOT, "order-%010d", number);
    }

    /** A name for libraries that want one for every task, keyed or not. */
    String name() {
        return key == null ? key(number) : key;
    }

    /** Tasks that are not there yet. */
    static List<Piece> fresh(int count, boolean keyed) {
        List<Piece> pieces = new ArrayList<>(count);
        for (int number = 0; number < count; number++) {
            pieces.add(of(number, keyed));
        }
        return pieces;
    }

    /** Submissions of which some are of the tasks 0 to {@code known}, which are there already, and the others are new. */
    static List<Piece> mixed(int known, int count, boolean halfNew) {
        List<Piece> pieces = new ArrayList<>(count);
        int next = known;
        for (int i = 0; i < count; i++) {
            pieces.add(of(halfNew && i % 2 == 1 ? next++ : i % known, true));
        }
        return pieces;
    }
}
