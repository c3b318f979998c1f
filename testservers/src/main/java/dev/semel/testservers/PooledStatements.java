package dev.semel.testservers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The prepared statements of one client of a pooler. On the server each of them has a name that no other client uses,
 * and the pooler prepares it on a connection before its first use there.
 */
final class PooledStatements {

    /** A prepared statement: its name on the server, and the message that prepares it. */
    private record Prepared(String name, PoolMessage parse) {}

    private final String prefix;
    private final Map<String, Prepared> statements = new HashMap<>();
    private int made;

    PooledStatements(int client) {
        this.prefix = "POOLER_" + client + "_";
    }

    /** Translates a client's messages for the server. */
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
            translated.add(message); // unnamed, or an error that the server reports
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
