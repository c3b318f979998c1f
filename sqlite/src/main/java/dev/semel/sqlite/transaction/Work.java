package dev.semel.sqlite.transaction;

import java.sql.SQLException;

/** An operation, executed in a transaction; executed again if the transaction that it was part of was undone. */
public interface Work<T> {
    T run(Transaction tx) throws SQLException;
}
