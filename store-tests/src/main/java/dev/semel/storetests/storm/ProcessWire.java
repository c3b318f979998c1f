package dev.semel.storetests.storm;

import dev.semel.task.InputHash;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes and reads what a store is asked and answers: records, enums, collections and a few types of the JDK. */
final class ProcessWire {

    private ProcessWire() {}

    static void write(DataOutputStream out, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> out.writeByte('0');
            case String text -> {
                out.writeByte('S');
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(bytes.length);
                out.write(bytes);
            }
            case Integer number -> {
                out.writeByte('I');
                out.writeInt(number);
            }
            case Long number -> {
                out.writeByte('L');
                out.writeLong(number);
            }
            case Double number -> {
                out.writeByte('D');
                out.writeDouble(number);
            }
            case Boolean flag -> {
                out.writeByte('B');
                out.writeBoolean(flag);
            }
            case Instant time -> {
                out.writeByte('T');
                write(out, time.toString());
            }
            case Duration time -> {
                out.writeByte('P');
                write(out, time.toString());
            }
            case UUID id -> {
                out.writeByte('U');
                out.writeLong(id.getMostSignificantBits());
                out.writeLong(id.getLeastSignificantBits());
            }
            case InputHash hash -> {
                out.writeByte('H');
                out.write(hash.bytes());
            }
            case Optional<?> optional -> {
                out.writeByte('O');
                write(out, optional.orElse(null));
            }
            case Map<?, ?> map -> {
                out.writeByte('M');
                out.writeInt(map.size());
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    write(out, entry.getKey());
                    write(out, entry.getValue());
                }
            }
            case Collection<?> items -> {
                out.writeByte(items instanceof Set ? 'C' : 'A');
                out.writeInt(items.size());
                for (Object item : items) {
                    write(out, item);
                }
            }
            case Enum<?> constant -> {
                out.writeByte('E');
                out.writeUTF(constant.getDeclaringClass().getName());
                out.writeUTF(constant.name());
            }
            case Record values -> {
                out.writeByte('R');
                out.writeUTF(values.getClass().getName());
                for (RecordComponent component : values.getClass().getRecordComponents()) {
                    write(out, part(values, component));
                }
            }
            default -> throw new IllegalStateException("Not a value that can be sent: " + value.getClass());
        }
    }

    static @Nullable Object read(DataInputStream in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case '0' -> null;
            case 'S' -> new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
            case 'I' -> in.readInt();
            case 'L' -> in.readLong();
            case 'D' -> in.readDouble();
            case 'B' -> in.readBoolean();
            case 'T' -> Instant.parse(String.valueOf(read(in)));
            case 'P' -> Duration.parse(String.valueOf(read(in)));
            case 'U' -> new UUID(in.readLong(), in.readLong());
            case 'H' -> InputHash.ofBytes(in.readNBytes(32));
            case 'O' -> Optional.ofNullable(read(in));
            case 'M' -> {
                Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
                for (int left = in.readInt(); left > 0; left--) {
                    map.put(read(in), read(in));
                }
                yield map;
            }
            case 'A', 'C' -> {
                List<@Nullable Object> items = new ArrayList<>();
                for (int left = in.readInt(); left > 0; left--) {
                    items.add(read(in));
                }
                yield kind == 'A' ? items : new LinkedHashSet<>(items);
            }
            case 'E' -> constant(in.readUTF(), in.readUTF());
            case 'R' -> values(in.readUTF(), in);
            default -> throw new IOException("The other process sent something else: " + kind);
        };
    }

    private static @Nullable Object part(Record values, RecordComponent component) {
        try {
            return component.getAccessor().invoke(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A part of " + values.getClass() + " cannot be sent", e);
        }
    }

    private static Object constant(String type, String name) {
        try {
            for (Object constant : Class.forName(type).getEnumConstants()) {
                if (((Enum<?>) constant).name().equals(name)) {
                    return constant;
                }
            }
            throw new IllegalStateException("The two processes have different versions of " + type);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("The two processes have different classes", e);
        }
    }

    private static Object values(String type, DataInputStream in) throws IOException {
        try {
            Class<?> found = Class.forName(type);
            RecordComponent[] components = found.getRecordComponents();
            @Nullable Object[] parts = new Object[components.length];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = read(in);
            }
            Constructor<?> constructor = found.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return constructor.newInstance(parts);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A " + type + " cannot be received", e);
        }
    }
}
