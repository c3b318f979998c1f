package dev.semel.server.audit;

import dev.semel.server.http.Audit;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the file: the start or the end of an action.
 *
 * @param time when it was recorded, by the clock of the server
 * @param action the action
 * @param status the status of the reply; null for the start
 * @param details what the route added; empty for nothing
 */
public record AuditEntry(
        Instant time, Audit.Action action, @Nullable Integer status, String details) {

    /**
     * Returns the outcome in a word.
     *
     * @return started, done, rejected or failed
     */
    public String outcome() {
        Integer code = status;
        return code == null ? "started" : code < 400 ? "done" : code < 500 ? "rejected" : "failed";
    }

    /** {@return the line as a JSON object} */
    public String json() {
        JsonText json = new JsonText()
                .put("time", time)
                .put("request_id", action.request())
                .put("caller", action.caller())
                .put("tenant", action.tenant())
                .put("action", action.name())
                .put("target", action.target())
                .put("outcome", outcome());
        Integer code = status;
        if (code != null) {
            json.put("status", code);
        }
        return json.put("details", details.isEmpty() ? null : details).toString();
    }

    static AuditEntry parse(String line) {
        JsonMembers members = JsonDocument.parse(line).members("entry");
        return new AuditEntry(
                Instant.parse(members.text("time")),
                new Audit.Action(
                        members.text("request_id"),
                        members.text("caller"),
                        members.string("tenant").orElse(null),
                        members.text("action"),
                        members.text("target")),
                members.number("status").orElse(null),
                members.string("details").orElse(""));
    }
}
