package dev.semel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.semel.store.Claims;
import dev.semel.task.Identity;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TraceContext;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every request and every answer of every call is read as it was written. */
class RoundTripTest {

    private static final long SEED = 42;
    private static final int VALUES = 200;

    static Stream<Arguments> calls() {
        return Stream.of(Calls.class.getFields())
                .filter(field -> field.getType() == Call.class || field.getType() == BatchCall.class)
                .map(field -> arguments(field.getName(), field));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    @DisplayName("What is written is read back equal, for values of every kind")
    void whatIsWrittenIsReadBackEqual(String name, Field field) throws Exception {
        ParameterizedType type = (ParameterizedType) field.getGenericType();
        Type request = type.getActualTypeArguments()[0];
        Type answer = type.getActualTypeArguments()[1];
        RandomValues random = new RandomValues(Long.getLong("seed", SEED));
        Object call = Objects.requireNonNull(field.get(null));
        for (int i = 0; i < VALUES; i++) {
            if (call instanceof BatchCall<?, ?> batch) {
                tryBatch(batch, List.of(random.of(request)), List.of(random.of(answer)));
            } else {
                tryCall((Call<?, ?>) call, random.of(request), random.of(answer));
            }
        }
        assertThat(random.made()).containsAll(reachable(request)).containsAll(reachable(answer));
    }

    private static <Q, A> void tryCall(Call<Q, A> call, Object request, Object answer) {
        @SuppressWarnings("unchecked") // made by reflection for this very call
        Q question = (Q) request;
        @SuppressWarnings("unchecked")
        A reply = (A) answer;
        byte[] asked = call.request(question);
        assertIsUtf8(asked);
        assertThat(call.readRequest(asked)).isEqualTo(question);
        byte[] answered = call.answer(reply);
        assertIsUtf8(answered);
        A read = call.readAnswer(answered);
        assertThat(read).isEqualTo(reply);
        if (reply instanceof Claims claims) {
            // Not part of the equality of claims.
            assertThat(((Claims) read).tasks().stream().map(Claims.Claimed::waited))
                    .isEqualTo(
                            claims.tasks().stream().map(Claims.Claimed::waited).toList());
        }
    }

    private static <Q, A> void tryBatch(BatchCall<Q, A> call, List<?> requests, List<?> answers) {
        @SuppressWarnings("unchecked") // made by reflection for this very call
        List<Q> questions = (List<Q>) requests;
        @SuppressWarnings("unchecked")
        List<A> replies = (List<A>) answers;
        BatchCall.Request asked = call.next(questions, 0);
        assertThat(asked.items()).isEqualTo(1);
        assertIsUtf8(asked.body());
        assertThat(call.readRequest(asked.body())).isEqualTo(questions);
        assertThat(call.readAnswer(call.answer(replies), 1)).isEqualTo(replies);
    }

    private static void assertIsUtf8(byte[] body) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
        } catch (CharacterCodingException e) {
            throw new AssertionError("Expected UTF-8", e);
        }
    }

    /** All classes of ours that occur in values of a type: the kinds of sealed types, and the components of records. */
    private static Set<Class<?>> reachable(Type type) {
        Set<Class<?>> found = new HashSet<>();
        reach(type, found);
        return found;
    }

    private static void reach(Type type, Set<Class<?>> found) {
        if (type instanceof ParameterizedType generic) {
            reach(generic.getRawType(), found);
            for (Type argument : generic.getActualTypeArguments()) {
                reach(argument, found);
            }
            return;
        }
        if (!(type instanceof Class<?> one)
                || !one.getPackageName().startsWith("dev.semel")
                || one == Identity.class
                || one == TraceContext.class
                || found.contains(one)) {
            return;
        }
        List<Class<?>> next = new ArrayList<>();
        if (one.isSealed()) {
            next.addAll(List.of(one.getPermittedSubclasses()));
        } else {
            found.add(one);
        }
        next.forEach(kind -> reach(kind, found));
        if (one.isRecord() && one != ReusePolicy.class) {
            for (RecordComponent component : one.getRecordComponents()) {
                reach(component.getGenericType(), found);
            }
        }
    }
}
