package dev.semel.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A script of SQL statements in the jar of a store. */
public final class SqlScript {

    private SqlScript() {}

    /**
     * Reads a script.
     *
     * @param beside a class in the package of the script
     * @param name the name of its file
     * @return its text
     */
    public static String read(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The program is incomplete: \"" + name + "\" is missing from its jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Splits a script at blank lines behind a semicolon. A comment stays with the statement that follows it.
     *
     * @param script the text
     * @return its statements in order, without their semicolons
     */
    public static List<String> statements(String script) {
        return List.of(script.strip().split(";\n\n|;$"));
    }
}
