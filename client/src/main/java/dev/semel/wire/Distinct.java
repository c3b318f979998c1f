package dev.semel.wire;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Sets and maps that were sent as lists: what occurs twice is rejected, as a member that occurs twice is. */
final class Distinct {

    private Distinct() {}

    static <T> Set<T> set(Collection<T> values) {
        Set<T> set = new LinkedHashSet<>(values);
        if (set.size() < values.size()) {
            throw Misread.wrong("expected " + values.size() + " different elements, but got " + set.size());
        }
        return set;
    }

    /** The form of a map with texts as keys: a list of objects with a name and a value. */
    static <T> Form<Map<String, T>> map(Form<T> form) {
        Form<Map.Entry<String, T>> entry = Form.object(
                (out, one) -> out.beginObject()
                        .member("name", one.getKey())
                        .member("value", one.getValue(), form)
                        .endObject(),
                in -> Map.entry(in.text("name"), in.get("value", form)));
        return new Form<>() {
            @Override
            public void write(JsonOutput out, Map<String, T> map) {
                out.array(map.entrySet(), entry);
            }

            @Override
            public Map<String, T> read(Object json) {
                Map<String, T> map = new LinkedHashMap<>();
                for (Map.Entry<String, T> one : entry.list().read(json)) {
                    if (map.put(one.getKey(), one.getValue()) != null) {
                        throw Misread.wrong("expected each name once, but got one of them twice");
                    }
                }
                return map;
            }
        };
    }
}
