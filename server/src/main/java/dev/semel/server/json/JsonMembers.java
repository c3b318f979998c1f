package dev.semel.server.json;

import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The members of a JSON object, read by name and kind. A member that is null counts as absent. */
public final class JsonMembers {

    private final String what;
    private final Map<String, JsonDocument> members;

    JsonMembers(String what, Map<String, JsonDocument> members) {
        this.what = what;
        this.members = members;
    }

    /**
     * Rejects members other than these, so that a misspelt option is not silently ignored.
     *
     * @param known their names
     * @return this
     */
    public JsonMembers allow(String... known) {
        return allow(Set.of(known));
    }

    /**
     * Rejects members other than these.
     *
     * @param known their names
     * @return this
     */
    public JsonMembers allow(Set<String> known) {
        for (String name : members.keySet()) {
            if (!known.contains(name)) {
                throw new InvalidInput("The " + what + " has the members " + String.join(", ", new TreeSet<>(known))
                        + ", but got \"" + Limits.shown(name) + "\". Check the spelling.");
            }
        }
        return this;
    }

    /**
     * Returns a member.
     *
     * @param name its name
     * @return its value; empty if it is absent or null
     */
    public Optional<JsonDocument> find(String name) {
        return Optional.ofNullable(members.get(name)).filter(value -> !value.isNull());
    }

    /**
     * Returns whether there is such a member, null included.
     *
     * @param name its name
     * @return whether it is there
     */
    public boolean has(String name) {
        return members.containsKey(name);
    }

    /**
     * Returns a member that has to be there.
     *
     * @param name its name
     * @return its value
     */
    public JsonDocument get(String name) {
        return find(name)
                .orElseThrow(() ->
                        new InvalidInput("The " + what + " needs the member \"" + name + "\", but it is absent."));
    }

    /**
     * Returns a string that has to be there.
     *
     * @param name its name
     * @return its value
     */
    public String text(String name) {
        return get(name).string(name);
    }

    /**
     * Returns a string.
     *
     * @param name its name
     * @return its value; empty if it is absent or null
     */
    public Optional<String> string(String name) {
        return find(name).map(value -> value.string(name));
    }

    /**
     * Returns a whole number.
     *
     * @param name its name
     * @return its value; empty if it is absent or null
     */
    public Optional<Integer> number(String name) {
        return find(name).map(value -> value.number(name));
    }

    /**
     * Returns a truth value.
     *
     * @param name its name
     * @return its value; empty if it is absent or null
     */
    public Optional<Boolean> truth(String name) {
        return find(name).map(value -> value.truth(name));
    }

    /**
     * Returns a duration such as "30s".
     *
     * @param name its name
     * @return its value; empty if it is absent or null
     */
    public Optional<Duration> duration(String name) {
        return string(name).map(text -> {
            try {
                return Durations.parse(text);
            } catch (InvalidInput e) {
                throw new InvalidInput("The member \"" + name + "\": " + e.getMessage(), e);
            }
        });
    }

    /**
     * Returns a time with its offset.
     *
     * @param name its name
     * @return its value; empty if it is absent or null
     */
    public Optional<Instant> time(String name) {
        return string(name).map(text -> {
            try {
                return OffsetDateTime.parse(text).toInstant();
            } catch (DateTimeException e) {
                throw new InvalidInput(
                        "The member \"" + name
                                + "\" is a time with its offset, such as \"2026-01-31T09:00:00Z\", but got \""
                                + Limits.shown(text) + "\".",
                        e);
            }
        });
    }

    /**
     * Returns an array of strings.
     *
     * @param name its name
     * @return its elements; empty if it is absent or null
     */
    public Optional<List<String>> strings(String name) {
        return find(name)
                .map(value -> value.elements("member \"" + name + "\"").stream()
                        .map(element -> element.string(name))
                        .toList());
    }
}
