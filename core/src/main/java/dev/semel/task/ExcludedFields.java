package dev.semel.task;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** The excluded fields of a document, as a tree that is walked along with the document. */
final class ExcludedFields {

    static final ExcludedFields NOTHING = new ExcludedFields(Map.of());

    private final Map<String, ExcludedFields> inner;
    private boolean everything;

    private ExcludedFields(Map<String, ExcludedFields> inner) {
        this.inner = inner;
    }

    static ExcludedFields of(Collection<JsonPointer> pointers) {
        if (pointers.isEmpty()) {
            return NOTHING;
        }
        ExcludedFields root = new ExcludedFields(new HashMap<>());
        for (JsonPointer pointer : pointers) {
            ExcludedFields place = root;
            for (String token : pointer.tokens()) {
                place = place.inner.computeIfAbsent(token, unused -> new ExcludedFields(new HashMap<>()));
            }
            place.everything = true;
        }
        if (root.everything) {
            throw new InvalidInput(
                    "An excluded field is a part of the input, but got the pointer \"\", which is the whole input:"
                            + " all inputs would be equal. Name a member, such as \"/trace_id\".");
        }
        return root;
    }

    /** Returns whether the whole value at this position is excluded. */
    boolean everything() {
        return everything;
    }

    ExcludedFields under(String name) {
        return inner.isEmpty() ? NOTHING : inner.getOrDefault(name, NOTHING);
    }

    ExcludedFields under(int index) {
        return inner.isEmpty() ? NOTHING : under(Integer.toString(index));
    }
}
