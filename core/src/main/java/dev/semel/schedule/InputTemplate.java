package dev.semel.schedule;

import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * JSON text with places for the time of a tick: <code>${tick}</code>, <code>${tick.local}</code>, <code>${tick.date}</code>,
 * <code>${tick.epoch_millis}</code> and <code>${schedule}</code>. A text that has <code>${</code> itself writes <code>$${</code>.
 *
 * @param text the template
 */
record InputTemplate(String text) {

    // What is put in has no character that would need quoting in JSON, so the template need not be parsed for that.
    private static final Pattern PLACE = Pattern.compile("\\$?\\$\\{([^}]*)}");

    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss");
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("uuuu-MM-dd");

    /** Checks that the template gives JSON. */
    InputTemplate {
        String sample = fill(text, "sample", Instant.EPOCH, ZoneOffset.UTC);
        try {
            Json.parse(sample);
        } catch (InvalidInput e) {
            throw new InvalidInput(
                    "The input of a schedule must be JSON once the tick's time is filled in: " + e.getMessage(), e);
        }
    }

    Json fill(String schedule, Instant tick, ZoneId zone) {
        return Json.parse(fill(text, schedule, tick, zone));
    }

    private static String fill(String text, String schedule, Instant tick, ZoneId zone) {
        Matcher place = PLACE.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (place.find()) {
            String value = place.group().startsWith("$$")
                    ? place.group().substring(1)
                    : value(place.group(1), schedule, tick, zone);
            place.appendReplacement(filled, Matcher.quoteReplacement(value));
        }
        place.appendTail(filled);
        return filled.toString();
    }

    private static String value(String name, String schedule, Instant tick, ZoneId zone) {
        return switch (name) {
            case "tick" -> tick.toString();
            case "tick.local" -> LOCAL.format(tick.atZone(zone));
            case "tick.date" -> DATE.format(tick.atZone(zone));
            case "tick.epoch_millis" -> Long.toString(tick.toEpochMilli());
            case "schedule" -> schedule;
            default ->
                throw new InvalidInput("The input of a schedule may use ${tick}, ${tick.local}, ${tick.date},"
                        + " ${tick.epoch_millis} and ${schedule}, but got \"${" + Limits.shown(name)
                        + "}\". Write $${ for a literal ${.");
        };
    }
}
