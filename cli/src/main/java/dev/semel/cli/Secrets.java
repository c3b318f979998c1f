package dev.semel.cli;

import java.util.regex.Pattern;

/**
 * Hides what may be a password in texts that are printed. URLs are checked where they are parsed, by code that shows no part
 * of a malformed one; this is for those that turn up elsewhere: as an unknown argument, in the message of a driver, in a
 * stack trace.
 */
final class Secrets {

    // Up to the last @ before a quotation mark: an unencoded password may contain any other character, spaces and
    // slashes
    // included. A value that was cut for the message has no @ any more. The example in our own messages is no secret.
    private static final Pattern USER = Pattern.compile("//(?!user:password@host)[^\\n\"]*(@|…(?=\"))");
    private static final Pattern OPTION =
            Pattern.compile("(?i)([?&][a-z]*(?:password|secret|token|key|user)[a-z]*=)[^&\\s\"]*");

    // An argument has no quotation marks around it.
    private static final Pattern USER_OF_ARGUMENT = Pattern.compile("(?s)//.*@");

    private Secrets() {}

    /** Replaces users, passwords and secret options of URLs in a message. */
    static String hidden(String message) {
        return options(USER.matcher(message).replaceAll("//…$1"));
    }

    /** Replaces the same in one argument. */
    static String hiddenInArgument(String argument) {
        return options(USER_OF_ARGUMENT.matcher(argument).replaceAll("//…@"));
    }

    private static String options(String text) {
        return OPTION.matcher(text).replaceAll("$1…");
    }
}
