package dev.semel.cli;

import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A JSON document given as an argument: JSON text, {@code @file}, or {@code -} for standard input. */
final class InputArgument {

    private InputArgument() {}

    /** Reads and checks the input of a submission. */
    static String read(String argument, Console console) {
        return read("input", argument, console);
    }

    /** Reads and checks a document; the first argument is its name in messages. */
    static String read(String what, String argument, Console console) {
        String text = argument;
        String from = "The " + what + ": ";
        if (argument.equals("-")) {
            from = "The " + what + " from standard input: ";
            if (console.isInputClosed()) {
                throw new InvalidInput(
                        from + "it is closed. Give the " + what + " on standard input, as @FILE, or as an argument.");
            }
            text = bounded(console.in(), from);
        } else if (argument.startsWith("@")) {
            from = "The " + what + " file \"" + Limits.shown(argument.substring(1)) + "\": ";
            text = file(argument.substring(1), from);
        }
        try {
            Json.parse(text);
        } catch (InvalidInput e) {
            throw new InvalidInput(from + e.getMessage() + quotesHint(argument), e);
        }
        return text;
    }

    private static String file(String name, String from) {
        try (InputStream in = Files.newInputStream(Path.of(name))) {
            return bounded(in, from);
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new InvalidInput(from + "there is no such file. Check the name.", e);
        } catch (IOException e) {
            throw new InvalidInput(from + "it cannot be read (" + e.getMessage() + ").", e);
        }
    }

    private static String bounded(InputStream in, String from) {
        try {
            byte[] bytes = in.readNBytes(Limits.DOCUMENT_BYTES + 1);
            if (bytes.length > Limits.DOCUMENT_BYTES) {
                throw new InvalidInput(from + "JSON text has at most " + Limits.DOCUMENT_BYTES + " bytes of UTF-8, but"
                        + " got more. Store large data elsewhere, and send a reference to it.");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new InvalidInput(from + "it is not UTF-8. Convert it to UTF-8.", e);
        } catch (IOException e) {
            throw new InvalidInput(from + "it cannot be read (" + e.getMessage() + ").", e);
        }
    }

    // The most common mistake: the shell has removed the quotation marks.
    private static String quotesHint(String argument) {
        return argument.startsWith("{") && argument.indexOf('"') < 0 && argument.length() > 2
                ? " Put single quotes around JSON in a shell: '{\"order\":\"ORD-123\"}'."
                : "";
    }
}
