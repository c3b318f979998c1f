package dev.semel.testkit;

import dev.semel.engine.Handler;
import dev.semel.engine.Handlers;
import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link HandlerTrial}: what its handler uses, and what is observed at its end. Each run starts with new
 * objects: create gateways and tables inside the {@link HandlerTrial.Setting}, not outside.
 */
public final class TrialRun {

    private static final String PERSON = "person";

    private final Rehearsal rehearsal;
    private final Map<String, Supplier<?>> observed = new LinkedHashMap<>();
    private final List<TokenProvider> providers = new ArrayList<>();
    private final List<Consumer<Handlers.Builder>> steps = new ArrayList<>();
    private final Set<String> queues = new LinkedHashSet<>();
    private final List<Rehearsal.Sent> signals = new ArrayList<>();
    private Function<EffectRecord, @Nullable Resolution> person = this::fromRecords;

    TrialRun(Rehearsal rehearsal) {
        this.rehearsal = rehearsal;
    }

    /** The number of events in virtual time so far. */
    int events() {
        return rehearsal.timeline().happened();
    }

    /**
     * Creates a fake provider that honours tokens. Its actions must be the same whatever the disturbance.
     *
     * @param name its name
     * @return the provider
     */
    public TokenProvider provider(String name) {
        return added(new TokenProvider(name, true, this));
    }

    /**
     * Creates a fake provider that ignores tokens: it performs every call, repeated ones too.
     *
     * @param name its name
     * @return the provider
     */
    public TokenProvider providerWithoutTokens(String name) {
        return added(new TokenProvider(name, false, this));
    }

    private TokenProvider added(TokenProvider provider) {
        providers.add(provider);
        observe(provider.name(), provider::done);
        return provider;
    }

    /**
     * Observes something that the handler changes. It must be the same at the end of every run, disturbed or not.
     *
     * @param name its name, for people
     * @param what supplies a value with a meaningful {@code equals}, for example a list of sent mails, or a count
     */
    public void observe(String name, Supplier<?> what) {
        if (observed.putIfAbsent(name, what) != null) {
            throw new IllegalArgumentException(
                    "Each observed thing needs a unique name, but \"" + name + "\" is used twice.");
        }
    }

    /**
     * Adds the handler of a step, for the trial of a workflow.
     *
     * @param type the task type of the step
     * @param handler its handler
     * @param <I> the class of its input
     * @param <O> the class of its output
     */
    public <I, O extends @Nullable Object> void step(TaskType<I, O> type, Handler<I, O> handler) {
        queues.add(type.queue());
        steps.add(handlers -> handlers.add(type, handler));
    }

    /**
     * Sends a signal to the workflow of this trial.
     *
     * @param after when, in virtual time from the beginning
     * @param name the name of the signal
     * @param json what it carries, in JSON, or null
     */
    public void signal(Duration after, String name, @Nullable String json) {
        signals.add(new Rehearsal.Sent(after, name, json));
    }

    /**
     * Marks a moment in the handler at which its process may crash or freeze, for example between two writes of its
     * own. Called on the handler's own thread.
     *
     * @param what the event that has just happened, for people
     */
    public void moment(String what) {
        note(what);
        rehearsal.moment();
    }

    /**
     * Adds a line to the timeline of a failed trial.
     *
     * @param what the event that has just happened
     */
    public void note(String what) {
        rehearsal.note("handler", what);
    }

    /**
     * Sets the person who resolves effects of a parked task, an hour of virtual time after it was parked. By default,
     * the person looks the effect up in the records of this run's {@link TokenProvider}s, if there are any.
     *
     * @param person returns the resolution of an effect, or null for none, in which case the trial fails
     */
    public void person(Function<EffectRecord, @Nullable Resolution> person) {
        this.person = person;
    }

    private @Nullable Resolution fromRecords(EffectRecord effect) {
        if (providers.isEmpty()) {
            return null;
        }
        Optional<String> receipt = providers.stream()
                .map(provider -> provider.receipt(effect.id().token()))
                .flatMap(Optional::stream)
                .findFirst();
        return receipt.isPresent()
                ? new Resolution(Verdict.DONE, "\"" + receipt.get() + "\"", PERSON, "found in the provider's records")
                : new Resolution(Verdict.NOT_DONE, null, PERSON, "not found in the provider's records");
    }

    void addSteps(Handlers.Builder handlers) {
        steps.forEach(step -> step.accept(handlers));
    }

    /** Returns a queue, and those of the steps. */
    Set<String> queuesWith(String queue) {
        Set<String> all = new LinkedHashSet<>(queues);
        all.add(queue);
        return all;
    }

    List<Rehearsal.Sent> signals() {
        return signals;
    }

    Rehearsal rehearsal() {
        return rehearsal;
    }

    Function<EffectRecord, @Nullable Resolution> person() {
        return person;
    }

    /** Returns the values that must be the same at the end of every run. */
    Map<String, @Nullable Object> seen() {
        Map<String, @Nullable Object> seen = new LinkedHashMap<>();
        observed.forEach((name, what) -> seen.put(name, copied(what.get())));
        return seen;
    }

    /** Copies a collection, which may change later. */
    private static @Nullable Object copied(@Nullable Object value) {
        return switch (value) {
            case List<?> list -> new ArrayList<>(list);
            case Set<?> set -> new LinkedHashSet<>(set);
            case Map<?, ?> map -> new LinkedHashMap<>(map);
            case null, default -> value;
        };
    }
}
