package dev.semel.cli;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The shell command line that runs a user's command. */
final class ShellScript {

    private ShellScript() {}

    /** Returns the command line that runs a command with a key in its environment, in any locale. */
    static List<String> run(String command, String key) {
        return run(command, key, "UTF-8".equals(System.getProperty("sun.jnu.encoding")));
    }

    /**
     * Returns the command line for a locale that is UTF-8 or not. In the locale "C" the JVM passes question marks
     * instead of non-ASCII characters, in arguments and in the environment. There the script is encoded in ASCII and
     * decoded by the shell.
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
        // No digit can follow an escape of fewer than three digits, because the next escape starts with a backslash.
        return octal.toString();
    }
}
