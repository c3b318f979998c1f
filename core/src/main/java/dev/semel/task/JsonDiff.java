package dev.semel.task;

import java.util.ArrayList;
import java.util.List;

/** Walks two documents side by side and records where they differ under the canonical rules. */
final class JsonDiff {

    private static final String CUT = "…";

    private final List<String> path = new ArrayList<>();
    private final List<String> found = new ArrayList<>();

    private JsonDiff() {}

    static List<String> paths(JsonValue before, JsonValue after, ExcludedFields leftOut) {
        JsonDiff diff = new JsonDiff();
        diff.compare(before, after, leftOut);
        if (diff.isFull()) {
            diff.found.set(Json.MAX_PATHS, CUT);
        }
        return List.copyOf(diff.found);
    }

    // One more than is returned: that shows that the list is cut.
    private boolean isFull() {
        return found.size() > Json.MAX_PATHS;
    }

    private void compare(JsonValue before, JsonValue after, ExcludedFields leftOut) {
        if (before instanceof JsonValue.Members(var left) && after instanceof JsonValue.Members(var right)) {
            compareMembers(left, right, leftOut);
        } else if (before instanceof JsonValue.Elements(var left) && after instanceof JsonValue.Elements(var right)) {
            compareElements(left, right, leftOut);
        } else if (!sameScalar(before, after)) {
            note();
        }
    }

    private static boolean sameScalar(JsonValue before, JsonValue after) {
        return switch (before) {
            case JsonValue.Text(String text) -> after instanceof JsonValue.Text(String other) && text.equals(other);
            case JsonValue.Decimal number ->
                after instanceof JsonValue.Decimal other && number.canonical().equals(other.canonical());
            case JsonValue.Word word -> word == after;
            // Two objects or two arrays never reach this line, and an object or an array equals no other kind of value.
            case JsonValue.Members members -> false;
            case JsonValue.Elements elements -> false;
        };
    }

    private void compareMembers(List<JsonValue.Member> left, List<JsonValue.Member> right, ExcludedFields leftOut) {
        int l = 0;
        int r = 0;
        while ((l < left.size() || r < right.size()) && !isFull()) {
            int order = l == left.size()
                    ? 1
                    : r == right.size()
                            ? -1
                            : left.get(l).name().compareTo(right.get(r).name());
            // A member that one side lacks is compared as null there.
            String name = order <= 0 ? left.get(l).name() : right.get(r).name();
            JsonValue before = order <= 0 ? left.get(l++).value() : JsonValue.Word.NULL;
            JsonValue after = order >= 0 ? right.get(r++).value() : JsonValue.Word.NULL;
            ExcludedFields inside = leftOut.under(name);
            if (!inside.everything()) {
                path.addLast(name);
                compare(before, after, inside);
                path.removeLast();
            }
        }
    }

    private void compareElements(List<JsonValue> left, List<JsonValue> right, ExcludedFields leftOut) {
        // An ignored element is ignored on both sides at the same index, so the others stay aligned.
        for (int i = 0; i < Math.max(left.size(), right.size()) && !isFull(); i++) {
            ExcludedFields inside = leftOut.under(i);
            if (!inside.everything()) {
                path.addLast(Integer.toString(i));
                if (i < left.size() && i < right.size()) {
                    compare(left.get(i), right.get(i), inside);
                } else {
                    note();
                }
                path.removeLast();
            }
        }
    }

    private void note() {
        String pointer = JsonPointer.join(path);
        if (pointer.isEmpty()) {
            found.add(Json.ROOT_PATH);
        } else if (pointer.length() <= Json.MAX_PATH_LENGTH) {
            found.add(pointer);
        } else {
            boolean inPair = Character.isHighSurrogate(pointer.charAt(Json.MAX_PATH_LENGTH - 1));
            found.add(pointer.substring(0, Json.MAX_PATH_LENGTH - (inPair ? 1 : 0)) + CUT);
        }
    }
}
