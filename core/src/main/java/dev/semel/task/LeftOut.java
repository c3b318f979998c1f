package dev.semel.task;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** The places of a document that do not count, as a tree that is walked along with the document. */
final class LeftOut {

    static final LeftOut NOTHING = new LeftOut(Map.of());

    private final Map<String, LeftOut> inner;
    private boolean everything;

    private LeftOut(Map<String, LeftOut> inner) {
        this.inner = inner;
    }

    static LeftOut of(Collection<JsonPointer> pointers) {
        if (pointers.isEmpty()) {
            return NOTHING;
        }
        LeftOut root = new LeftOut(new HashMap<>());
        for (JsonPointer pointer : pointers) {
            LeftOut place = root;
            for (String token : pointer.tokens()) {
                place = place.inner.computeIfAbsent(token, unused -> new LeftOut(new HashMap<>()));
            }
            place.everything = true;
        }
        if (root.everything) {
            throw new InvalidInput("A field to leave out is a part of the input, but got the pointer \"\", which is the"
                    + " whole of it: all inputs would be equal. Name a member, such as \"/trace_id\".");
        }
        return root;
    }

    /** Whether this place is left out with all that is in it. */
    boolean everything() {
        return everything;
    }

    LeftOut under(String name) {
        return inner.isEmpty() ? NOTHING : inner.getOrDefault(name, NOTHING);
    }

    LeftOut under(int index) {
        return inner.isEmpty() ? NOTHING : under(Integer.toString(index));
    }
}
