package dev.semel.server.http;

import java.util.Locale;

/** What a caller may do. A scope includes no other one. */
public enum TokenScope {
    /** To submit, signal and cancel single tasks, and to read tasks and keys by name. */
    SUBMIT,
    /** To claim and settle tasks. */
    WORK,
    /** To read everything. */
    READ,
    /** To change what others did: bulk operations, redrives, keys, effects, queues, schedules. */
    ADMIN;

    /** {@return the name in lower case} */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
