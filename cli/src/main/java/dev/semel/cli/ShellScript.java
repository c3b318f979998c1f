package dev.semel.cli;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The shell that runs a user's command. */
final class ShellScript {

    private ShellScript() {}

    /** How to run a command with a key in its environment, whatever the locale. */
    static List<String> run(String command, String key) {
        return run(command, key, "UTF-8".equals(System.getProperty("sun.jnu.encoding")));
    }

    /**
     * The same for a locale that is in UTF-8 or not. In the locale "C" the JVM hands question marks on in place of what is
     * not ASCII, in arguments and in the environment; so there the script is written in ASCII and decoded by the shell.
     */
    static List<String> run(String command, String key, boolean isUtf8) {
        if (isUtf8 || (isAscii(command) && isAscii(key))) {
            return List.of("sh", "-c", command);
        }
        String script = "SEMEL_KEY='" + key.replace("'", "'\\''") + "'\nexport SEMEL_KEY\n" + command;
        return List.of("sh", "-c", "eval \"$(printf '%b' '" + octal(script) + "')\"");
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    private static String octal(String script) {
        StringBuilder octal = new StringBuilder();
        for (byte b : script.getBytes(StandardCharsets.UTF_8)) {
            octal.append("\\0").append(Integer.toOctalString(b & 0xFF));
        }
        // No digit follows an escape of fewer than three digits: the next one begins with a backslash.
        return octal.toString();
    }
}
