package dev.semel.workflow;

import dev.semel.engine.Codec;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.task.FailureText;
import dev.semel.task.Json;
import dev.semel.task.TypeRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The questions that a workflow was asked, and what answers them. */
final class Questions {

    private final Map<String, Registered<?>> answerers = new HashMap<>();
    private final TreeMap<Integer, InboxEntry> asked = new TreeMap<>();
    private final Set<Integer> answered = new HashSet<>();

    private record Registered<Q extends @Nullable Object>(TypeRef<Q> type, Answerer<Q> answerer) {

        @SuppressWarnings("NullAway") // a question that carries nothing is null
        @Nullable
        Object answer(Codec codec, @Nullable String document) throws Exception {
            Q question = document == null ? null : codec.decode(document, type);
            return answerer.answer(question);
        }
    }

    /**
     * Where in the code a question was answered, as its line keeps it.
     *
     * @param entry the number of the question in the inbox
     * @param atWait at which wait of the code, counted from 1
     */
    record Place(int entry, int atWait) {

        static Place of(@Nullable String document) {
            String[] parts = String.valueOf(document).replaceAll("[\\[\\]]", "").split(",", -1);
            return new Place(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        }

        String document() {
            return "[" + entry + "," + atWait + "]";
        }
    }

    <Q extends @Nullable Object> void register(String name, TypeRef<Q> type, Answerer<Q> answerer) {
        answerers.put(WorkflowSignals.ASK + name, new Registered<>(type, answerer));
    }

    void learn(InboxEntry entry) {
        if (entry.name().startsWith(WorkflowSignals.ASK)) {
            asked.put(entry.number(), entry);
        }
    }

    /** The questions that can be answered and were not yet, in order. */
    List<InboxEntry> open() {
        return answerers.isEmpty() || asked.isEmpty()
                ? List.of()
                : asked.values().stream()
                        .filter(entry -> !answered.contains(entry.number()) && answerers.containsKey(entry.name()))
                        .toList();
    }

    /** The question with a number, if the code has an answerer for it; null otherwise. */
    @Nullable
    InboxEntry find(int number) {
        InboxEntry entry = asked.get(number);
        return entry != null && answerers.containsKey(entry.name()) ? entry : null;
    }

    /** The numbers of the questions that this generation has not answered. */
    List<Integer> unanswered() {
        return asked.keySet().stream()
                .filter(number -> !answered.contains(number))
                .toList();
    }

    /** Runs the answerer of a question at a wait of the code. */
    NewLine.Answer answer(InboxEntry entry, int atWait, Codec codec) {
        answered.add(entry.number());
        Registered<?> registered = answerers.get(entry.name());
        if (registered == null) {
            throw new IllegalStateException("There is no answerer of " + entry.name());
        }
        String place = new Place(entry.number(), atWait).document();
        String key = Objects.requireNonNull(entry.key(), "a signal has a key");
        try {
            Object answer = registered.answer(codec, entry.document());
            String document = answer == null ? null : codec.encode(answer);
            if (document != null) {
                Json unused = Json.parse(document); // checks the size
            }
            return new NewLine.Answer(place, key, document, null);
        } catch (Exception e) {
            return new NewLine.Answer(place, key, null, FailureText.summary(e));
        }
    }
}
