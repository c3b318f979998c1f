package dev.semel.cli;

import dev.semel.task.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** A reader that reads a stream to its end and keeps only the last part. */
final class Tail {

    private Tail() {}

    /** Returns the last characters of a stream, as many as an error may have. */
    static String of(InputStream stream) {
        StringBuilder kept = new StringBuilder();
        char[] buffer = new char[Limits.ERROR_LENGTH];
        try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            for (int count = reader.read(buffer); count >= 0; count = reader.read(buffer)) {
                kept.append(buffer, 0, count);
                if (kept.length() > Limits.ERROR_LENGTH) {
                    kept.delete(0, kept.length() - Limits.ERROR_LENGTH);
                }
            }
        } catch (IOException e) {
            return kept.toString(); // the process was killed; its output until then still counts
        }
        return kept.toString();
    }
}
