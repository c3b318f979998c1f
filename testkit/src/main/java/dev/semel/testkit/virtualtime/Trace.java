package dev.semel.testkit.virtualtime;

import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** A log of events for people. Tasks have short names here: t1, t2 … in the order of their first appearance. */
public final class Trace {

    private final Timeline timeline;
    private final StringBuilder text = new StringBuilder();
    private final Map<TaskId, String> names = new HashMap<>();
    private int lines;

    /**
     * Creates an empty trace.
     *
     * @param timeline provides the time of each line
     */
    public Trace(Timeline timeline) {
        this.timeline = timeline;
    }

    /**
     * Returns the short name of a task.
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
     * @param party the party that acts
     * @param what the action
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
     * Returns the number of lines.
     *
     * @return their number
     */
    public int lines() {
        return lines;
    }

    /**
     * Returns all lines.
     *
     * @return the text
     */
    public String text() {
        return text.toString();
    }

    /**
     * Returns the SHA-256 of the text and of all events, including events without a line.
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
