package dev.semel.testkit.virtualtime;

import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** What happened, for people. Tasks have short names here: t1, t2 … in the order of their first appearance. */
public final class Trace {

    private final Timeline timeline;
    private final StringBuilder text = new StringBuilder();
    private final Map<TaskId, String> names = new HashMap<>();
    private int lines;

    /**
     * Makes an empty trace.
     *
     * @param timeline gives each line its time
     */
    public Trace(Timeline timeline) {
        this.timeline = timeline;
    }

    /**
     * The short name of a task.
     *
     * @param id the task
     * @return the same every time
     */
    public String name(TaskId id) {
        return names.computeIfAbsent(id, unnamed -> "t" + (names.size() + 1));
    }

    /**
     * Adds a line.
     *
     * @param party who
     * @param what does what
     */
    public void line(String party, String what) {
        long micros = timeline.now() / 1_000;
        String seconds = Long.toString(micros / 1_000_000);
        String fraction = Long.toString(1_000_000 + micros % 1_000_000);
        text.repeat(' ', Math.max(0, 4 - seconds.length()))
                .append(seconds)
                .append('.')
                .append(fraction, 1, fraction.length())
                .append(' ')
                .append(party)
                .repeat(' ', Math.max(1, 11 - party.length()))
                .append(what)
                .append('\n');
        lines++;
    }

    /**
     * How many lines there are.
     *
     * @return their number
     */
    public int lines() {
        return lines;
    }

    /**
     * All lines.
     *
     * @return the text
     */
    public String text() {
        return text.toString();
    }

    /**
     * SHA-256 of the text and of all events, those without a line of their own too.
     *
     * @return in hexadecimal
     */
    public String hash() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(text.toString().getBytes(StandardCharsets.UTF_8));
            digest.update(Long.toString(timeline.digest()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every Java platform has SHA-256", e);
        }
    }
}
