package dev.semel.sqlite.sql;

import java.util.Collections;

/**
 * A statement for 1, 10 or 50 rows. A call of the driver costs as much as a row that is inserted, so the rows of a batch share
 * it. There are only three sizes, because each is prepared once and kept.
 */
public final class MultiRowStatement {

    /** The most rows of one statement; more of them were not faster. */
    public static final int MOST = 50;

    private static final int SOME = 10;

    private final String most;
    private final String some;
    private final String one;

    /**
     * Makes the texts for each number of rows.
     *
     * @param statement the whole statement, for one row
     * @param row the part of it that is repeated for each row
     */
    public MultiRowStatement(String statement, String row) {
        this.most = repeated(statement, row, MOST);
        this.some = repeated(statement, row, SOME);
        this.one = repeated(statement, row, 1);
    }

    private static String repeated(String statement, String row, int rows) {
        if (!statement.contains(row)) {
            throw new IllegalArgumentException("Expected \"" + row + "\" in the statement: " + statement);
        }
        return statement.replace(row, String.join(", ", Collections.nCopies(rows, row)));
    }

    /** The number of rows for the next statement if so many are left. */
    public static int rows(int left) {
        return left >= MOST ? MOST : left >= SOME ? SOME : 1;
    }

    /** The number of rows of a statement with room for so many, of which some stay empty. */
    public static int room(int rows) {
        return rows <= 1 ? 1 : rows <= SOME ? SOME : MOST;
    }

    /** The statement for a number of rows that {@link #rows} or {@link #room} gave. */
    public String text(int rows) {
        return switch (rows) {
            case MOST -> most;
            case SOME -> some;
            case 1 -> one;
            default -> throw new IllegalArgumentException("No statement has " + rows + " rows");
        };
    }
}
