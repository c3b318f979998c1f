package dev.semel.server.store;

/** The parts of a store, which are the scopes of a token. */
enum StorePart {
    SUBMIT,
    WORK,
    READ,
    ADMIN
}
