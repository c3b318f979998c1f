package dev.semel.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** How values of one type are written and read. */
interface Form<T> {

    void write(JsonOutput out, T value);

    T read(Object json);

    /** The form of an object. */
    static <T> Form<T> object(BiConsumer<JsonOutput, T> writer, Function<JsonObject, T> reader) {
        return new Form<>() {
            @Override
            public void write(JsonOutput out, T value) {
                writer.accept(out, value);
            }

            @Override
            public T read(Object json) {
                return reader.apply(JsonObject.of(json));
            }
        };
    }

    /** The form of a text. */
    static <T> Form<T> text(Function<T, String> writer, Function<String, T> reader) {
        return new Form<>() {
            @Override
            public void write(JsonOutput out, T value) {
                out.text(writer.apply(value));
            }

            @Override
            public T read(Object json) {
                return reader.apply(JsonObject.text("a value", json));
            }
        };
    }

    /** The form of an enum's word. */
    static <E extends Enum<E>> Form<E> word(Class<E> type) {
        return text(Word::of, word -> Word.parse(type, word));
    }

    /** The form of a list of these, of any length. */
    default Form<List<T>> list() {
        return list(Integer.MAX_VALUE);
    }

    /** The form of a list of at most so many of these. */
    default Form<List<T>> list(int most) {
        Form<T> one = this;
        return new Form<>() {
            @Override
            public void write(JsonOutput out, List<T> values) {
                out.array(values, one);
            }

            @Override
            public List<T> read(Object json) {
                List<?> elements = JsonObject.elements("a list", json);
                if (elements.size() > most) {
                    throw Misread.wrong("expected at most " + most + " items, but got " + elements.size());
                }
                List<T> values = new ArrayList<>(elements.size());
                for (Object element : elements) {
                    values.add(one.read(element));
                }
                return values;
            }
        };
    }
}
