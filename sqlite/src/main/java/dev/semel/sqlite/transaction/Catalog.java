package dev.semel.sqlite.transaction;

import dev.semel.sqlite.sql.Session;

/**
 * A session and what it remembers between transactions: the numbers of names, and the settings of queues. Both are read again
 * after a rollback, because the transaction may have created some of them.
 */
public record Catalog(Session session, Names names, QueueSettingsCache queues) {

    public Catalog(Session session) {
        this(session, new Names(session), new QueueSettingsCache(session));
    }

    /** Forgets everything, because a transaction was rolled back. */
    void forget() {
        names.forget();
        queues.forget();
    }
}
