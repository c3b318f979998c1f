package dev.semel.storetests.storm;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Exceptions as text, cut to what a person reads. */
final class Failures {

    private static final int MOST = 3_000;

    private Failures() {}

    static String text(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString().substring(0, Math.min(MOST, text.toString().length()));
    }
}
