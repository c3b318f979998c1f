package dev.semel.wire;

import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes values of any type of the store interface by reflection, so that no kind and no component is forgotten. */
final class RandomValues {

    private static final List<String> ODD_TEXTS = List.of(
            "",
            " ",
            "plain",
            "\"quoted\" and \\ escaped \\u0041",
            "{\"exact\": 1.10, \"large\": 12345678901234567890.000, \"e\": 1E400}",
            "controls \0 \u0001 \n \r \t \b \f \u001f \u007f \u0080 \u2028 \ufeff",
            "é 漢字 \uD83D\uDE00",
            "half \uD83D",
            "\uDE00 half",
            "swapped \uDE00\uD83D",
            "\uD83D\uD83D\uDE00\uDE00",
            "line: data: event",
            "ends with a bracket [");

    private final SplittableRandom random;
    private final Set<Class<?>> made = new HashSet<>();

    RandomValues(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** The classes of which there were values. */
    Set<Class<?>> made() {
        return made;
    }

    Object of(Type type) {
        return of(type, "", Map.of());
    }

    private Object of(Type type, String name, Map<TypeVariable<?>, Type> variables) {
        return switch (type) {
            case Class<?> one -> ofClass(one, name);
            case ParameterizedType generic -> ofGeneric(generic, name, variables);
            case WildcardType wildcard -> of(wildcard.getUpperBounds()[0], name, variables);
            case TypeVariable<?> variable -> of(Objects.requireNonNull(variables.get(variable)), name, Map.of());
            default -> throw new IllegalArgumentException("No values of " + type);
        };
    }

    private Object ofGeneric(ParameterizedType type, String name, Map<TypeVariable<?>, Type> outer) {
        Class<?> raw = (Class<?>) type.getRawType();
        List<Type> arguments = new ArrayList<>();
        for (Type argument : type.getActualTypeArguments()) {
            arguments.add(argument instanceof TypeVariable<?> v ? outer.getOrDefault(v, argument) : argument);
        }
        if (raw == List.class || raw == Set.class) {
            Set<Object> values = new LinkedHashSet<>();
            int size = random.nextInt(4)
                    + (name.equals("queues") || name.equals("lines") || name.equals("delays") ? 1 : 0);
            for (int i = 0; i < size; i++) {
                values.add(of(arguments.getFirst(), name, outer));
            }
            return raw == Set.class ? values : new ArrayList<>(values);
        }
        if (raw == Map.class) {
            Map<Object, Object> map = new HashMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                map.put(of(arguments.get(0), "queue", outer), of(arguments.get(1), name, outer));
            }
            return map;
        }
        Map<TypeVariable<?>, Type> variables = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            variables.put(raw.getTypeParameters()[i], arguments.get(i));
        }
        return record(raw, variables);
    }

    private Object ofClass(Class<?> type, String name) {
        if (type.isSealed()) {
            List<Class<?>> kinds = List.of(type.getPermittedSubclasses());
            return ofClass(kinds.get(random.nextInt(kinds.size())), name);
        }
        made.add(type);
        if (type.isEnum()) {
            Object[] values = type.getEnumConstants();
            return values[random.nextInt(values.length)];
        }
        if (type == TaskOptions.class && random.nextBoolean()) {
            return TaskOptions.NONE;
        }
        Object simple = simple(type, name);
        return simple == null ? record(type, Map.of()) : simple;
    }

    private @Nullable Object simple(Class<?> type, String name) {
        if (type == String.class) {
            return text(name);
        } else if (type == int.class || type == Integer.class) {
            return integer(name);
        } else if (type == long.class) {
            return name.equals("bytes") ? random.nextLong(1, Long.MAX_VALUE) : number();
        } else if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        } else if (type == double.class) {
            return name.equals("jitter") ? random.nextDouble() : 1 + 99 * random.nextDouble();
        } else if (type == Duration.class) {
            return duration();
        } else if (type == Instant.class) {
            return instant();
        } else if (type == UUID.class) {
            return new UUID(random.nextLong(), random.nextLong());
        } else if (type == TaskId.class) {
            return new TaskId(new UUID(random.nextLong(), random.nextLong()));
        } else if (type == InputHash.class) {
            byte[] bytes = new byte[32];
            random.nextBytes(bytes);
            return InputHash.ofBytes(bytes);
        } else if (type == RateLimit.class && random.nextInt(4) == 0) {
            return RateLimit.NONE;
        } else if (type == ReusePolicy.class && random.nextBoolean()) {
            return ReusePolicy.never();
        } else if (type == TraceContext.class) {
            return new TraceContext(
                    "00-" + hex(32) + "-" + hex(16) + "-01", random.nextBoolean() ? "vendor=\"1\",x=y" : null);
        } else if (type == Identity.class) {
            return identity();
        }
        return null;
    }

    private Identity identity() {
        Scope.Kind kind = List.copyOf(EnumSet.allOf(Scope.Kind.class))
                .get(random.nextInt(EnumSet.allOf(Scope.Kind.class).size()));
        return new Identity("tenant", kind, kind == Scope.Kind.TENANT ? "" : text("scope"), key());
    }

    private String key() {
        return List.of("0", "k", "a key \"with\" quotes", "é 漢字 \uD83D\uDE00", "x".repeat(Limits.KEY_LENGTH))
                .get(random.nextInt(5));
    }

    private Object record(Class<?> type, Map<TypeVariable<?>, Type> variables) {
        made.add(type);
        int rejected = 0;
        while (rejected < 200) {
            try {
                return construct(type, variables);
            } catch (InvalidInput | IllegalArgumentException e) {
                rejected++; // Two components that contradict each other: another try.
            }
        }
        throw new AssertionError("No valid " + type + " in 200 tries: say which values its components have");
    }

    private Object construct(Class<?> type, Map<TypeVariable<?>, Type> variables) {
        RecordComponent[] components = type.getRecordComponents();
        if (components == null) {
            throw new AssertionError("No values of " + type + ", which is no record: say how to make them");
        }
        Object[] arguments = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            types[i] = component.getType();
            boolean nullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            arguments[i] = nullable && random.nextInt(3) == 0
                    ? null
                    : of(component.getGenericType(), component.getName(), variables);
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private String text(String name) {
        return switch (name) {
            case "tenant" -> "tenant"; // the same for a task and its key
            case "queue", "queues", "type", "types", "worker", "scope", "deadLetterQueue" ->
                List.of("a", "b-1", "C_2.x", "q:9/z", "n".repeat(Limits.NAME_LENGTH))
                        .get(random.nextInt(5));
            case "key" -> key();
            case "mutex" -> "m \"é\" \uD83D\uDE00";
            case "name" -> random.nextBoolean() ? "charge" : "approved." + random.nextInt(9);
            case "by" -> "a person";
            case "error", "reason" -> random.nextInt(8) == 0 ? "x".repeat(Limits.ERROR_LENGTH + 7) : odd();
            default -> odd();
        };
    }

    private String odd() {
        return ODD_TEXTS.get(random.nextInt(ODD_TEXTS.size()));
    }

    private int integer(String name) {
        return switch (name) {
            case "limit", "limited", "more", "first", "index", "maxAttempts", "concurrency", "starts" ->
                1 + random.nextInt(900);
            case "suspects", "priority" -> random.nextInt(9);
            default -> (int) number();
        };
    }

    private long number() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> Long.MIN_VALUE;
            case 2 -> Long.MAX_VALUE;
            default -> random.nextLong(-5, 5);
        };
    }

    private Duration duration() {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ofNanos(random.nextLong(1_000_000, Long.MAX_VALUE / 4));
            case 1 -> Duration.ofMillis(random.nextLong(1, 1_000_000_000L));
            case 2 -> Duration.ofDays(36_525);
            default -> Duration.ofSeconds(1, 1);
        };
    }

    private Instant instant() {
        return switch (random.nextInt(6)) {
            case 0 -> Instant.ofEpochSecond(random.nextLong(4_000_000_000L), random.nextInt(1_000_000_000));
            case 1 -> Instant.MIN;
            case 2 -> Instant.EPOCH;
            case 3 -> Instant.parse("9999-12-31T23:59:59Z");
            case 4 -> Instant.ofEpochSecond(-1, 999_999_999);
            default -> Instant.ofEpochMilli(random.nextLong(4_000_000_000_000L));
        };
    }

    private String hex(int digits) {
        byte[] bytes = new byte[digits / 2];
        random.nextBytes(bytes);
        bytes[0] |= 1;
        return HexFormat.of().formatHex(bytes);
    }
}
