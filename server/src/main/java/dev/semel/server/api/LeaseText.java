package dev.semel.server.api;

import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A lease as text that a worker sends back as it got it. */
final class LeaseText {

    private static final Pattern FORM = Pattern.compile("([0-9a-f-]{36})\\.([0-9]{1,9})\\.(-?[0-9]{1,19})");

    private LeaseText() {}

    static String of(Lease lease) {
        return lease.taskId() + "." + lease.attempt() + "." + lease.claim();
    }

    static Lease parse(String text) {
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            try {
                return new Lease(
                        TaskId.parse(form.group(1)), Integer.parseInt(form.group(2)), Long.parseLong(form.group(3)));
            } catch (NumberFormatException e) {
                // reported below
            }
        }
        throw new InvalidInput(
                "A lease is sent back as the claim returned it, but got \"" + Limits.shown(text) + "\".");
    }
}
