package dev.semel.s3.guard;

import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardRecord;
import dev.semel.guard.GuardState;
import dev.semel.guard.OwnerToken;
import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnusable;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One object of a guard, readable for a person.
 *
 * @param key the key, in full
 * @param record the record; null if the object ends its chain
 * @param notAfter the object counts only if the service stored it by then
 */
record GuardDocument(GuardKey key, @Nullable GuardRecord record, Instant notAfter) {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int FORMAT = 1;
    private static final String FREE = "free";

    byte[] bytes() {
        ObjectNode json = JSON.createObjectNode();
        json.put("format", FORMAT);
        json.put("tenant", key.tenant());
        json.put("key", key.key());
        json.put("key_hash", "sha256:" + GuardNames.hash(key));
        GuardRecord stored = record;
        json.put("status", stored == null ? FREE : stored.state().word());
        if (stored != null) {
            json.put("owner", stored.owner().hex());
            json.put("created_at", stored.beganAt().toString());
            json.put("changed_at", stored.changedAt().toString());
            put(json, "lease_until", stored.leaseUntil());
            json.put("expires_at", stored.expiresAt().toString());
            put(json, "input_hash", stored.payload());
            put(json, "result", stored.result());
            put(json, "error", stored.error());
        }
        json.put("not_after", notAfter.toString());
        return (JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void put(ObjectNode json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value.toString());
        }
    }

    /**
     * Reads an object.
     *
     * @throws StoreUnusable if it is none of a guard, or of a later version
     */
    static GuardDocument parse(String name, byte[] bytes) {
        try {
            JsonNode json = JSON.readTree(bytes);
            if (json.path("format").asInt() != FORMAT) {
                throw new StoreUnusable("The object \"" + name + "\" has format "
                        + json.path("format").asInt() + ", but this version of Semel reads format " + FORMAT
                        + ". Use a later version.");
            }
            GuardKey key = new GuardKey(
                    json.path("tenant").asString(), json.path("key").asString());
            String status = json.path("status").asString();
            return new GuardDocument(key, status.equals(FREE) ? null : record(json, status), time(json, "not_after"));
        } catch (JacksonException | DateTimeException | IllegalArgumentException | InvalidInput e) {
            // Without the cause, whose message may quote a result.
            throw new StoreUnusable(
                    "The object \"" + name + "\" is not one of a guard. Remove it, or use another prefix.");
        }
    }

    private static GuardRecord record(JsonNode json, String status) {
        String hash = text(json, "input_hash");
        String lease = text(json, "lease_until");
        return new GuardRecord(
                GuardState.valueOf(status.toUpperCase(Locale.ROOT)),
                OwnerToken.parse(json.path("owner").asString()),
                hash == null ? null : InputHash.parse(hash),
                time(json, "created_at"),
                time(json, "changed_at"),
                lease == null ? null : Instant.parse(lease),
                time(json, "expires_at"),
                text(json, "result"),
                text(json, "error"));
    }

    private static Instant time(JsonNode json, String name) {
        return Instant.parse(json.path(name).asString());
    }

    private static @Nullable String text(JsonNode json, String name) {
        JsonNode found = json.get(name);
        return found == null || found.isNull() ? null : found.asString();
    }
}
