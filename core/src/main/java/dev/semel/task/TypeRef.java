package dev.semel.task;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import org.jspecify.annotations.Nullable;

/**
 * A token for a Java type that a {@link Class} cannot name, because it has type arguments. It is created as a subclass
 * without a body: {@code new TypeRef<List<Order>>() {}}.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T extends @Nullable Object> {

    private final Type type;

    /** Creates the token of the type argument of the subclass. */
    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType given)
                || given.getRawType() != TypeRef.class
                || !isKnown(given.getActualTypeArguments()[0])) {
            throw new InvalidInput(
                    "A TypeRef names a type completely, such as new TypeRef<List<Order>>() {}, but got \""
                            + getClass().getGenericSuperclass().getTypeName()
                            + "\". Write the type between the brackets.");
        }
        this.type = given.getActualTypeArguments()[0];
    }

    private TypeRef(Type type) {
        this.type = type;
    }

    private static final class OfClass<T extends @Nullable Object> extends TypeRef<T> {

        OfClass(Class<T> type) {
            super(type);
        }
    }

    /**
     * Returns the token of a class.
     *
     * @param type the class
     * @param <T> the class
     * @return the token
     */
    public static <T extends @Nullable Object> TypeRef<T> of(Class<T> type) {
        return new OfClass<>(Limits.notNull("class", type));
    }

    /** {@return the type} */
    public final Type type() {
        return type;
    }

    /** {@return whether the type is a class without type arguments} */
    public final boolean isClass() {
        return type instanceof Class<?>;
    }

    /** {@return the class without its type arguments} */
    public final Class<?> rawClass() {
        return raw(type);
    }

    private static Class<?> raw(Type type) {
        return switch (type) {
            case Class<?> plain -> plain;
            case ParameterizedType generic -> raw(generic.getRawType());
            case GenericArrayType array -> raw(array.getGenericComponentType()).arrayType();
            default -> Object.class;
        };
    }

    /** Returns whether a type is known at run time: a variable of a generic method is not. */
    private static boolean isKnown(Type type) {
        return switch (type) {
            case TypeVariable<?> variable -> false;
            case ParameterizedType generic -> allKnown(generic.getActualTypeArguments());
            case GenericArrayType array -> isKnown(array.getGenericComponentType());
            case WildcardType wildcard -> allKnown(wildcard.getUpperBounds());
            default -> true;
        };
    }

    private static boolean allKnown(Type[] types) {
        for (Type each : types) {
            if (!isKnown(each)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof TypeRef<?> that && type.equals(that.type);
    }

    @Override
    public final int hashCode() {
        return type.hashCode();
    }

    /** {@return the name of the type, for example {@code java.util.List<Order>}} */
    @Override
    public final String toString() {
        return type.getTypeName();
    }
}
