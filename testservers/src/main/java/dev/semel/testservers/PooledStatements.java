package dev.semel.testservers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one client of a pooler has prepared. On the server each of its statements has a name that no other client uses, and a
 * connection that does not have the statement yet gets it before its first use there.
 */
final class PooledStatements {

    /** The message that prepares a statement, under its name on the server. */
    private record Prepared(String name, PoolMessage parse) {}

    private final String prefix;
    private final Map<String, Prepared> statements = new HashMap<>();
    private int made;

    PooledStatements(int client) {
        this.prefix = "POOLER_" + client + "_";
    }

    /** A client's messages as they go to the server on a connection. */
    List<PoolMessage> translated(List<PoolMessage> messages, PooledConnection connection) {
        List<PoolMessage> translated = new ArrayList<>();
        for (PoolMessage message : messages) {
            switch (message.kind()) {
                case 'P' -> translated.add(parse(message, connection));
                case 'B' -> use(message, message.endOfText(0) + 1, connection, translated);
                case 'D', 'C' -> {
                    if (message.body()[0] == 'S') {
                        use(message, 1, connection, translated);
                    } else {
                        translated.add(message);
                    }
                }
                default -> translated.add(message);
            }
        }
        return translated;
    }

    private PoolMessage parse(PoolMessage message, PooledConnection connection) {
        String name = message.textAt(0);
        if (name.isEmpty()) {
            connection.noteParsing("", true);
            return message;
        }
        String onServer = prefix + ++made;
        PoolMessage parse = message.withTextAt(0, onServer);
        statements.put(name, new Prepared(onServer, parse));
        connection.noteParsing(onServer, true);
        return parse;
    }

    /** Adds a message that names a statement at an offset. */
    private void use(PoolMessage message, int offset, PooledConnection connection, List<PoolMessage> translated) {
        String name = message.textAt(offset);
        Prepared statement = message.kind() == 'C' ? statements.remove(name) : statements.get(name);
        if (statement == null) {
            translated.add(message); // unnamed, or an error that the server tells
            return;
        }
        if (message.kind() == 'C') {
            connection.noteClosing(statement.name());
        } else if (!connection.has(statement.name())) {
            connection.noteParsing(statement.name(), false);
            translated.add(statement.parse());
        }
        translated.add(message.withTextAt(offset, statement.name()));
    }
}
