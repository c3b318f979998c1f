package dev.semel.sqlite.capture;

import org.jspecify.annotations.Nullable;

/**
 * A column of a captured table.
 *
 * @param index its place in the table, from 0: the bit of a captured change
 * @param type the declared type: {@code INTEGER}, {@code TEXT} or {@code BLOB}
 * @param role what a change does with it
 * @param target the entity that it names by a number; null unless it is a reference
 */
record Column(
        String name,
        int index,
        String type,
        Role role,
        @Nullable String target) {

    enum Role {
        /** A value of the row. */
        VALUE,
        /** A value that may be large: recorded as changed without a comparison, which would read it. */
        DOCUMENT,
        /** A number that stands for another row, which changes name in full. */
        REFERENCE,
        /** A number that means something in this file only, or a hint that every copy finds out by itself. */
        LOCAL
    }

    boolean isCaptured() {
        return role != Role.LOCAL;
    }

    /** The name as SQL needs it: one of them is a key word. */
    String quoted() {
        return '"' + name + '"';
    }

    long bit() {
        return 1L << index;
    }
}
