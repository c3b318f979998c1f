package dev.semel.jdbc;

import java.util.Collections;

/**
 * A statement about many rows. Calling the driver costs as much as a row that is inserted, so the rows of a batch share
 * the call. The texts are few, because each is prepared once and kept.
 */
final class SqliteMany {

    /** The most rows of one statement; more of them were not faster. */
    static final int MOST = 50;

    private static final int SOME = 10;

    private final String most;
    private final String some;
    private final String one;

    SqliteMany(String before, String row, String after) {
        this.most = text(before, row, after, MOST);
        this.some = text(before, row, after, SOME);
        this.one = text(before, row, after, 1);
    }

    private static String text(String before, String row, String after, int rows) {
        return before + String.join(", ", Collections.nCopies(rows, row)) + after;
    }

    /** How many rows the next statement takes if so many are left. */
    static int rows(int left) {
        return left >= MOST ? MOST : left >= SOME ? SOME : 1;
    }

    /** How many rows a statement has that takes so many at once, if rows may stay empty. */
    static int room(int rows) {
        return rows <= 1 ? 1 : rows <= SOME ? SOME : MOST;
    }

    /** The statement for a number of rows that {@link #rows} or {@link #room} gave. */
    String text(int rows) {
        return switch (rows) {
            case MOST -> most;
            case SOME -> some;
            case 1 -> one;
            default -> throw new IllegalArgumentException("No statement has " + rows + " rows");
        };
    }
}
