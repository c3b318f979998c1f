package dev.semel.postgresql.connection;

import dev.semel.task.InvalidInput;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** The encoding of the parts of a store's URL, and the error for a malformed one, which contains no part that may be secret. */
public final class UrlText {

    private UrlText() {}

    /** Returns a part with its percent-encoded characters decoded. */
    public static String decoded(String text) {
        try {
            // A plus is a plus here, as in every part of a URL but the form data.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Not kept as the cause, because its message contains a part of the text.
            throw malformed("contains a % that is not followed by two hexadecimal digits");
        }
    }

    /**
     * Returns the error for a malformed URL.
     *
     * @param what what is wrong with it, as the rest of a sentence about "this URL"
     */
    public static InvalidInput malformed(String what) {
        return new InvalidInput(
                "A PostgreSQL store reads \"postgresql://user:password@host:5432/database\", but this URL "
                        + what
                        + ". (It is not shown, because it may contain a password.) In a user, a password, a database or an"
                        + " option write % / ? # @ : & as %25 %2F %3F %23 %40 %3A %26.");
    }
}
