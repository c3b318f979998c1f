package dev.semel.workflow;

import dev.semel.engine.StepOptions;
import dev.semel.engine.TaskContext;
import dev.semel.guard.Effect;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.task.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the code of a workflow does. Only the thread that runs the code may use it.
 *
 * <p>An operation that has to wait ends the attempt by unwinding the code with an {@link Error}; the code runs again from the
 * beginning when there is something new. So a {@code finally} block runs at each wait; use it for what belongs to one attempt only.
 */
public final class Flow {

    private final Turn turn;
    private final TaskContext context;
    private final TypeRef<?> input;
    private final Compensations compensations = new Compensations();

    Flow(Turn turn, TaskContext context, TypeRef<?> input) {
        this.turn = turn;
        this.context = context;
        this.input = input;
    }

    /**
     * Returns the task of this workflow.
     *
     * @return its id
     */
    public TaskId taskId() {
        return context.taskId();
    }

    /**
     * Returns the id that the workflow was started with.
     *
     * @return its key
     */
    public String id() {
        return context.key().orElseThrow();
    }

    /**
     * Runs a step: starts a task and waits for its result.
     *
     * @param type the task type
     * @param input its input
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return its result
     * @throws dev.semel.task.TaskUnsuccessful if it ended without success
     */
    public <I, O extends @Nullable Object> O run(TaskType<I, O> type, I input) {
        return start(type, input).result();
    }

    /**
     * Runs a step with options.
     *
     * @param type the task type
     * @param input its input
     * @param options sets what differs from the type
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return its result
     * @throws dev.semel.task.TaskUnsuccessful if it ended without success
     */
    public <I, O extends @Nullable Object> O run(TaskType<I, O> type, I input, Consumer<StepOptions> options) {
        return start(type, input, options).result();
    }

    /**
     * Starts a step and goes on.
     *
     * @param type the task type
     * @param input its input
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return the step
     */
    public <I, O extends @Nullable Object> Step<O> start(TaskType<I, O> type, I input) {
        return start(type, input, options -> {});
    }

    /**
     * Starts a step with options and goes on.
     *
     * @param type the task type
     * @param input its input
     * @param options sets what differs from the type
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return the step
     */
    public <I, O extends @Nullable Object> Step<O> start(TaskType<I, O> type, I input, Consumer<StepOptions> options) {
        StepOptions set = new StepOptions();
        options.accept(set);
        return turn.start(type, input, set);
    }

    /**
     * Runs a child workflow: starts it, unless there is an open or completed one with its id, and waits for its result.
     *
     * @param type the workflow type
     * @param id the id of the child
     * @param input its input
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return its result
     * @throws dev.semel.task.TaskUnsuccessful if it ended without success
     */
    public <I, O extends @Nullable Object> O run(WorkflowType<I, O> type, String id, I input) {
        return start(type, id, input).result();
    }

    /**
     * Starts a child workflow and goes on. If it is open when the code of this workflow ends, it is cancelled.
     *
     * @param type the workflow type
     * @param id the id of the child
     * @param input its input
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return the child, as a step
     */
    public <I, O extends @Nullable Object> Step<O> start(WorkflowType<I, O> type, String id, I input) {
        return start(type, id, input, ChildPolicy.CANCEL);
    }

    /**
     * Starts a child workflow and goes on.
     *
     * @param type the workflow type
     * @param id the id of the child, by which others can find it too
     * @param input its input
     * @param policy what happens if it is open when the code of this workflow ends
     * @param <I> the class of the input
     * @param <O> the class of the result
     * @return the child, as a step
     */
    public <I, O extends @Nullable Object> Step<O> start(
            WorkflowType<I, O> type, String id, I input, ChildPolicy policy) {
        return turn.start(
                Limits.notNull("workflow type", type).taskType(),
                input,
                new StepOptions().idempotencyKey(Limits.notNull("workflow id", id)),
                Limits.notNull("policy", policy));
    }

    /**
     * Registers what answers questions of a name, which {@code workflows().ask(…)} asks. It answers those that are asked while the code waits, also
     * those from before, in order; each is answered once. A question that nothing answers stays until the workflow ends.
     *
     * @param name the name of the question
     * @param type the class of what it carries
     * @param answerer answers it; it does not use the flow
     * @param <Q> the class of what it carries
     */
    public <Q extends @Nullable Object> void onAsk(String name, Class<Q> type, Answerer<Q> answerer) {
        turn.onAsk(Limits.name("question", name), TypeRef.of(type), Limits.notNull("answerer", answerer));
    }

    /**
     * Waits until all of these steps have completed.
     *
     * @param steps the steps
     * @throws dev.semel.task.TaskUnsuccessful as soon as one of them has ended without success; the others go on
     */
    public void all(Step<?>... steps) {
        all(List.of(steps));
    }

    /**
     * Waits until all of these steps have completed.
     *
     * @param steps the steps
     * @throws dev.semel.task.TaskUnsuccessful as soon as one of them has ended without success; the others go on
     */
    public void all(List<? extends Step<?>> steps) {
        turn.all(steps);
    }

    /**
     * Waits until one of these steps has ended, with or without success.
     *
     * @param steps the steps, at least one
     * @return the step that ended first
     */
    public Step<?> any(Step<?>... steps) {
        return any(List.of(steps));
    }

    /**
     * Waits until one of these steps has ended, with or without success.
     *
     * @param steps the steps, at least one
     * @param <S> the class of the steps
     * @return the step that ended first
     */
    public <S extends Step<?>> S any(List<S> steps) {
        return turn.any(steps);
    }

    /**
     * Gives a step up. It is cancelled if this workflow created it and no other one waits for it. A local step has nothing to cancel, and stays in
     * the list of unknown effects if it is open.
     *
     * @param step the step
     */
    public void abandon(Step<?> step) {
        turn.abandon(step);
    }

    /**
     * Waits for a time.
     *
     * @param duration how long
     */
    public void sleep(Duration duration) {
        Limits.duration("sleep", duration);
        turn.sleep(now -> now.plus(duration));
    }

    /**
     * Waits until a time, by the store's clock.
     *
     * @param time the time
     */
    public void sleepUntil(Instant time) {
        turn.sleep(now -> time);
    }

    /**
     * Waits for a signal. Signals of one name are received in the order in which they were accepted, also those that arrived before.
     *
     * @param name the name of the signal
     * @param type the class of what it carries
     * @param <T> the class of what it carries
     * @return what it carries
     */
    public <T extends @Nullable Object> T signal(String name, Class<T> type) {
        return turn.signal(Limits.name("signal", name), TypeRef.of(type));
    }

    /**
     * Waits for a signal, but not longer than a limit.
     *
     * @param name the name of the signal
     * @param type the class of what it carries
     * @param timeout the longest wait
     * @param <T> the class of what it carries
     * @return what it carries; empty if the limit has passed, or it carries nothing
     */
    public <T> Optional<T> signal(String name, Class<T> type, Duration timeout) {
        Limits.duration("timeout", timeout);
        return turn.signal(Limits.name("signal", name), TypeRef.of(type), timeout);
    }

    /**
     * Runs a function in this process, once: a local step. Its intent is durable before it starts and its outcome is recorded after it,
     * in the ledger of effects. If an attempt dies in between, it runs again with the same token; {@link #local(String, Class)} offers
     * other policies.
     *
     * @param name its name; each name may be used once
     * @param result the class of its result
     * @param step the function; it gets a token to pass to the provider, the same on every attempt
     * @param <T> the class of its result
     * @param <X> the exception of the function
     * @return its result, or the recorded result
     * @throws X the exception of the function
     */
    public <T extends @Nullable Object, X extends Exception> T local(String name, Class<T> result, Effect<T, X> step)
            throws X {
        return local(name, result).run(step);
    }

    /**
     * Runs a local step as {@link #local(String, Class, Effect)} does, and goes on if a person has to resolve it.
     *
     * @param name its name; each name may be used once
     * @param result the class of its result
     * @param step the function; it gets a token to pass to the provider, the same on every attempt
     * @param <T> the class of its result
     * @param <X> the exception of the function
     * @return the step, which can be waited for
     * @throws X the exception of the function
     */
    public <T extends @Nullable Object, X extends Exception> Step<T> startLocal(
            String name, Class<T> result, Effect<T, X> step) throws X {
        return local(name, result).start(step);
    }

    /**
     * Returns a local step with options: an index in a loop, and the policy for an unknown outcome.
     *
     * @param name its name
     * @param result the class of its result
     * @param <T> the class of its result
     * @return the step, which {@link LocalCall#run} or {@link LocalCall#start} runs
     */
    public <T extends @Nullable Object> LocalCall<T> local(String name, Class<T> result) {
        turn.flush(); // what it may depend on is durable before it runs
        int generation = turn.generation();
        return new LocalCall<>(
                turn.localSteps(),
                context.localStep(name, generation, result),
                EffectId.ofGeneration(name, context.run(), generation));
    }

    /**
     * Returns the current time, the same in every replay.
     *
     * @return the store's time of the turn in which the code came here first
     */
    public Instant now() {
        return Instant.parse(turn.value(
                "now", TypeRef.of(String.class), () -> turn.storeTime().toString()));
    }

    /**
     * Returns a random id, the same in every replay.
     *
     * @return the id
     */
    public UUID uuid() {
        return UUID.fromString(
                turn.value("uuid", TypeRef.of(String.class), () -> randomUuid().toString()));
    }

    private UUID randomUuid() {
        long high = (turn.random().nextLong() & ~0xF000L) | 0x4000L;
        long low = (turn.random().nextLong() & ~(0b11L << 62)) | (0b10L << 62);
        return new UUID(high, low);
    }

    /**
     * Returns a random number, the same in every replay.
     *
     * @return a number from 0 (inclusive) to 1 (exclusive)
     */
    public double random() {
        return turn.value("random", TypeRef.of(Double.class), turn.random()::nextDouble);
    }

    /**
     * Records a value, so that it is the same in every replay. The function may run several times if the process dies; it must have no
     * effect outside. Use {@link #local} for what has one.
     *
     * @param name the name of the value
     * @param type its class
     * @param value computes it when the code comes here first
     * @param <T> its class
     * @return the recorded value
     */
    public <T extends @Nullable Object> T record(String name, Class<T> type, Supplier<T> value) {
        return turn.value(Limits.name("value", name), TypeRef.of(type), value);
    }

    /**
     * Returns the version of a part of the code, so that the part can be changed while workflows run. A workflow that comes here for the first
     * time records and gets the newest version. One that has gone on from here before this call was in its code gets 0: it continues as the old code
     * did. One that has recorded a version gets that for ever.
     *
     * <pre>{@code
     * if (flow.version("fraud-check", 1) >= 1) {
     *     flow.run(CHECK_FRAUD, order);
     * }
     * }</pre>
     *
     * @param name the name of the part; the same name gives the same version wherever it is asked for
     * @param newest the version of this code, from 1
     * @return 0 to {@code newest}
     * @throws NonDeterministic if the workflow has recorded a later version, because another program has newer code
     */
    public int version(String name, int newest) {
        if (newest < 1) {
            throw new InvalidInput(
                    "A version is at least 1, but got \"" + newest + "\". 0 means the code before it had versions.");
        }
        return turn.version(Limits.name("version", name), newest);
    }

    /**
     * Returns how many lines of the history the code has come past: read back, or added.
     *
     * @return the number of the newest line that the code asked for; 0 at its beginning
     */
    public int position() {
        return turn.position();
    }

    /**
     * Registers what undoes something, in case that the workflow ends without success: because a step ended without success, because the code
     * throws a {@link dev.semel.task.PermanentFailure}, or because of a cancellation or the time limit. All that is registered by then is undone, the
     * last thing first, before the workflow ends. A cancellation that arrives meanwhile does not interrupt it. If one of them fails for good, the
     * others are undone nevertheless, and the workflow ends as failed with an error that says what was and what was not undone.
     *
     * @param name its name in that error
     * @param compensation undoes it
     */
    public void onFailure(String name, Compensation compensation) {
        compensations.add(Limits.name("compensation", name), Limits.notNull("compensation", compensation));
    }

    Compensations compensations() {
        return compensations;
    }

    /**
     * Continues as new: runs the code again with another input and an empty history, as the same workflow with the same id. So a workflow can go on
     * for ever with a short history. Those who wait for its result keep waiting, and signals that it has not received are received by the new run of the
     * code. Steps that are open are given up, as by a cancellation, and this waits for their ends. What was registered with
     * {@link #onFailure} is forgotten, and so is what was published.
     *
     * <pre>{@code
     * return flow.continueAsNew(state.next());
     * }</pre>
     *
     * @param next the new input, of the class of the workflow's input
     * @param <O> the class of the workflow's output
     * @return never: the code is unwound as by a wait
     */
    @SuppressWarnings({"TypeParameterUnusedInFormals", "DoNotCallSuggester"
    }) // nothing is returned, and the code can end with "return"
    public <O extends @Nullable Object> O continueAsNew(@Nullable Object next) {
        throw turn.continueAsNew(next, input);
    }

    /**
     * Publishes a value that others can read while the workflow runs. It replaces an earlier one of the same name.
     *
     * @param name its name
     * @param value the value
     */
    public void publish(String name, @Nullable Object value) {
        turn.note(Kind.PUBLISHED, Limits.name("value", name), value);
    }
}
