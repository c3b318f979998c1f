package dev.semel.workflow;

import dev.semel.engine.Journal;
import dev.semel.engine.StepOptions;
import dev.semel.engine.StepPreparer;
import dev.semel.engine.Suspended;
import dev.semel.store.Continuation;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.StoredFlow;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.task.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One call of a workflow's code, from the beginning to its end or to the next wait.
 *
 * <p>Each operation takes the next line of the history, which must be what the code asks for, or adds one. New lines are kept back
 * until the code waits, ends or runs a local step, and are then written in one step.
 *
 * <p>Why every replay takes the same way, although the inbox grows: the end of a step and the n-th signal of a name are what the inbox
 * says, however much of it is read. Of several steps the first in the order of the inbox counts, and an entry never becomes visible
 * before an earlier one. What depends on how much was read, that a time limit passed or that the cancellation was delivered here, is a
 * line of the history.
 */
final class Turn {

    // Names that users give begin with a letter or a digit.
    private static final String RESERVED_NAMES = "$";
    private static final String CANCEL = StoredFlow.CANCEL;

    /** The name of the line that delivers the end of the time limit. */
    private static final String TIME_LIMIT = "$time_limit";

    /** The name of the line behind which a workflow that continues as new gives up the steps that are open. */
    private static final String CONTINUING = "$continuing";

    // Bounds one write: ten thousand steps that are started at once are ten of these.
    private static final int MOST_TOGETHER = 1_000;

    private static final SafeLogger LOG = SafeLogger.of(Turn.class);

    // A warning long before each limit: at a fifth of it.
    private static final int WARN_EVERY = Limits.HISTORY_LINES / 5;
    private static final long WARN_EVERY_BYTES = Limits.HISTORY_BYTES / 5;

    private final Journal journal;
    private final StepPreparer steps;
    private final Thread owner = Thread.currentThread();

    private final List<HistoryLine> lines = new ArrayList<>();
    private final List<InboxEntry> inbox = new ArrayList<>();
    private final Map<TaskId, List<InboxEntry>> ends = new HashMap<>();
    private final Set<TaskId> abandoned = new HashSet<>();
    private final Map<String, Integer> versions = new HashMap<>();
    private final Map<String, List<InboxEntry>> signals = new HashMap<>();
    private final Map<String, Integer> received = new HashMap<>();
    private final List<NewLine> added = new ArrayList<>();
    private final Set<Integer> givenUp = new HashSet<>();
    private final List<TaskStep<?>> started = new ArrayList<>();
    private final LocalSteps locals;
    private final List<Generation> generations = new ArrayList<>();
    private final Set<Identity> addedKeys = new HashSet<>();
    private final Questions questions = new Questions();
    private final @Nullable Instant deadline;
    private Instant since;
    private @Nullable Continuation continuation;
    private Instant now;
    private int position;
    private int waits;
    private long bytes;
    private boolean cancelled;
    private boolean answering;
    private @Nullable Suspended suspended;
    private @Nullable NonDeterministic broken;

    Turn(Journal journal, StepPreparer steps, History history) {
        this.journal = journal;
        this.steps = steps;
        this.now = history.now();
        this.locals = new LocalSteps(this, journal);
        this.since = journal.task().createdAt();
        learn(history);
        locals.begin(seen());
        WorkflowOptions options = journal.task().options().workflow();
        Duration limit = options == null ? null : options.timeLimit();
        this.deadline = limit == null ? null : since.plus(limit);
    }

    /** The input of the generation in JSON; null if it is that of the task. */
    @Nullable
    String input() {
        return continuation == null ? null : continuation.input();
    }

    private void learn(History newer) {
        for (HistoryLine line : newer.lines()) {
            lines.add(line);
            bytes += length(line.document());
            if (line.kind() == Kind.ABANDONED) {
                abandoned.add(Objects.requireNonNull(line.task()));
            }
        }
        for (InboxEntry entry : newer.inbox()) {
            inbox.add(entry);
            bytes += entry.bytes();
            if (entry.step() != null) {
                ends.computeIfAbsent(entry.step(), step -> new ArrayList<>()).add(entry);
            } else if (Generation.of(entry).isPresent()) {
                begun(Generation.of(entry).get(), Continuation.of(entry).orElse(null));
            } else if (!locals.take(entry)) {
                signals.computeIfAbsent(entry.name(), name -> new ArrayList<>()).add(entry);
                questions.learn(entry);
            }
        }
        now = newer.now();
    }

    private void begun(Generation generation, @Nullable Continuation next) {
        generations.add(generation);
        if (next == null) {
            since = generation.at();
            signals.remove(CANCEL); // what was requested before concerns a generation that has ended
        } else {
            since = next.since();
            continuation = next;
        }
    }

    /** The history as far as it is known, for the next turn in this process. */
    History known() {
        return new History(lines, inbox, now);
    }

    /** How many lines the code has taken or added. */
    int position() {
        return position;
    }

    /** The generation to which a local step belongs that the code would run here. */
    int generation() {
        Generation owner = Generation.owner(generations, position);
        return owner == null ? 1 : owner.number();
    }

    int seen() {
        return inbox.isEmpty() ? 0 : inbox.getLast().number();
    }

    RandomGenerator random() {
        return journal.random();
    }

    /** The time at which the history grew last; the time of the store if it is empty. */
    Instant grew() {
        return lines.isEmpty() ? now : lines.getLast().at();
    }

    Instant storeTime() {
        return now;
    }

    // ---- lines

    /** Returns the next line of the history, which must be what the code asks for; null if the history ends here. */
    private @Nullable HistoryLine next(Kind kind, String name) {
        requireUsable();
        int number = position + 1;
        if (position >= lines.size()) {
            position = number;
            return null;
        }
        HistoryLine line = lines.get(position);
        if (line.kind() != kind || !line.name().equals(name)) {
            throw differs(line, "asked for " + kind.word() + " \"" + name + "\"");
        }
        position = number;
        return line;
    }

    private boolean isNext(Kind kind) {
        return position < lines.size() && lines.get(position).kind() == kind;
    }

    /** Checks that the code has not ended before its history, or has gone on with one that it does not fit. */
    void requireWhole() {
        if (broken != null) {
            throw broken;
        }
        if (position < lines.size()) {
            throw differs(lines.get(position), "has ended");
        }
    }

    /** Returns why the code does not fit its history, even if it caught the exception, or null. */
    @Nullable
    NonDeterministic broken() {
        return broken;
    }

    private NonDeterministic differs(HistoryLine line, String code) {
        NonDeterministic found = new NonDeterministic(
                "The code of workflow \"" + journal.task().type() + "\" does not fit its history at line "
                        + line.number() + ": the history has " + line.kind().word() + " \"" + line.name()
                        + "\", but the code " + code + CodePlace.text()
                        + ". Deploy code that does the same as before up to there, then resume workflow "
                        + journal.task().id() + ".",
                line.number(),
                line);
        broken = found;
        return found;
    }

    /** Throws if the code already waits, or another thread than the workflow's uses its flow. */
    private void requireUsable() {
        if (suspended != null) {
            throw suspended;
        }
        if (broken != null) {
            throw broken;
        }
        if (answering) {
            throw new InvalidInput(
                    "What answers a question does not use the flow. Change a variable that the code reads,"
                            + " or send a signal.");
        }
        if (!Thread.currentThread().equals(owner)) {
            throw new InvalidInput(
                    "Only the thread that runs the code of a workflow may use its flow, because the order"
                            + " of all operations must be the same each time. Start steps instead of threads.");
        }
    }

    /** Writes the lines that were kept back. */
    void flush() {
        requireUsable();
        if (added.isEmpty()) {
            return;
        }
        int first = lines.size() + 1;
        long before = bytes;
        try {
            while (!added.isEmpty()) {
                List<NewLine> next = added.subList(0, Math.min(added.size(), MOST_TOGETHER));
                List<NewLine> batch = List.copyOf(next);
                write(batch);
                next.clear();
            }
            addedKeys.clear();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        warnIfLong(first - 1, before, lines.size(), bytes);
    }

    private void warnIfLong(int linesBefore, long bytesBefore, int linesNow, long bytesNow) {
        if (linesNow / WARN_EVERY > linesBefore / WARN_EVERY
                || bytesNow / WARN_EVERY_BYTES > bytesBefore / WARN_EVERY_BYTES) {
            LOG.warn(
                    "History of a workflow is long: task={} type={} lines={} limit={} bytes={} limit={}",
                    journal.task().id(),
                    journal.task().type(),
                    linesNow,
                    Limits.HISTORY_LINES,
                    bytesNow,
                    Limits.HISTORY_BYTES);
        }
    }

    private void write(List<NewLine> batch) throws InterruptedException {
        int first = lines.size() + 1;
        journal.add(first, batch);
        if (batch.stream().anyMatch(Turn::needsAnswer)) {
            learn(journal.read(lines.size(), seen()));
        } else {
            batch.forEach(this::remember);
        }
        reportSteps(first, batch);
    }

    /** Returns whether the store decides something about a line that the code has to know. */
    private static boolean needsAnswer(NewLine line) {
        return line instanceof NewLine.Abandon
                || line instanceof NewLine.Answer
                || (line instanceof NewLine.Step(NewTask task) && task.key() != null);
    }

    /** Reports which tasks the new steps are: their own, or those that have their keys. */
    private void reportSteps(int first, List<NewLine> batch) {
        List<NewTask> asked = new ArrayList<>();
        List<TaskId> answers = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            if (batch.get(i) instanceof NewLine.Step(NewTask step)) {
                asked.add(step);
                answers.add(Objects.requireNonNull(lines.get(first - 1 + i).task(), "the line of a step has its task"));
            }
        }
        if (!asked.isEmpty()) {
            steps.answered(asked, answers);
        }
    }

    private void remember(NewLine line) {
        TaskId task = line instanceof NewLine.Step(NewTask step) ? step.id() : null;
        lines.add(new HistoryLine(lines.size() + 1, line.kind(), line.name(), task, line.document(), now));
        bytes += length(line.document());
    }

    private static long length(@Nullable String document) {
        return document == null ? 0 : document.length();
    }

    private static CancellationException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        CancellationException stopped =
                new CancellationException("The thread was interrupted while the workflow waited for the store.");
        stopped.initCause(e);
        return stopped;
    }

    // ---- values

    <T extends @Nullable Object> T value(String name, TypeRef<T> type, Supplier<T> compute) {
        HistoryLine line = next(Kind.VALUE, name);
        if (line != null) {
            return decoded(line.document(), type);
        }
        T value = compute.get();
        String document = encoded(value);
        added.add(new NewLine.Note(Kind.VALUE, name, document));
        return decoded(document, type); // what every replay will get
    }

    void note(Kind kind, String name, @Nullable Object value) {
        if (next(kind, name) == null) {
            added.add(new NewLine.Note(kind, name, encoded(value)));
        }
    }

    private @Nullable String encoded(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        String json = journal.codec().encode(value);
        Json.parse(json); // checks the size
        return json;
    }

    @SuppressWarnings("NullAway") // what was recorded as null is null again
    private <T extends @Nullable Object> T decoded(@Nullable String document, TypeRef<T> type) {
        return document == null ? null : journal.codec().decode(document, type);
    }

    // ---- versions

    /**
     * Returns the version of a part of the code that this workflow uses: the one that was recorded when it came here first, the newest if it comes
     * here for the first time now, and 0 if it went on from here before the part had versions.
     */
    int version(String name, int newest) {
        requireUsable();
        Integer known = versions.get(name);
        if (known != null) {
            return known;
        }
        String marker = CodeVersions.line(name);
        boolean before = position < lines.size()
                && !(isNext(Kind.VALUE) && lines.get(position).name().equals(marker));
        int version = before ? 0 : value(marker, TypeRef.of(Integer.class), () -> newest);
        if (version > newest) {
            throw differs(
                    lines.get(position - 1), "knows version " + newest + " of \"" + name + "\" and not " + version);
        }
        versions.put(name, version);
        return version;
    }

    // ---- steps

    <I, O extends @Nullable Object> TaskStep<O> start(TaskType<I, O> type, I input, StepOptions options) {
        return start(type, input, options, null);
    }

    <I, O extends @Nullable Object> TaskStep<O> start(
            TaskType<I, O> type, I input, StepOptions options, @Nullable ChildPolicy policy) {
        if (next(Kind.STEP, type.name()) == null) {
            NewLine.Step line = new NewLine.Step(steps.prepare(journal.task(), type, input, options));
            Identity key = line.identity();
            if (key != null && addedKeys.contains(key)) {
                flush(); // an advance starts at most one step for each key
            }
            if (key != null) {
                addedKeys.add(key);
            }
            added.add(line);
        }
        TaskStep<O> step = new TaskStep<>(this, type, position, policy);
        started.add(step);
        return step;
    }

    TaskId taskOf(TaskStep<?> step) {
        if (step.line() > lines.size()) {
            flush();
        }
        return Objects.requireNonNull(lines.get(step.line() - 1).task(), "the line of a step has its task");
    }

    void abandon(Step<?> step) {
        switch (step) {
            case TaskStep<?> task -> abandon(task);
            case LocalStep<?> local -> requireUsable();
        }
    }

    private void abandon(TaskStep<?> step) {
        TaskId id = taskOf(step);
        givenUp.add(step.line());
        if (next(Kind.ABANDONED, step.type().name()) == null) {
            added.add(new NewLine.Abandon(step.type().name(), id));
        }
    }

    /** The end of a step, or null as long as it is open. */
    private @Nullable InboxEntry endOf(Step<?> step) {
        return switch (step) {
            case TaskStep<?> task -> endOf(task);
            case LocalStep<?> local -> local.end(entriesBeforeNext());
        };
    }

    private @Nullable InboxEntry endOf(TaskStep<?> step) {
        if (step.line() > lines.size()) {
            return null;
        }
        TaskId task = taskOf(step);
        int before = entriesBefore(step.line());
        int index = abandoned.contains(task) ? timesAbandoned(task, step.line()) : 0;
        for (InboxEntry entry : ends.getOrDefault(task, List.of())) {
            if (entry.number() > before && index-- == 0) {
                return entry;
            }
        }
        return null;
    }

    /** Returns how many entries there were when the generation began that wrote a line: they do not concern it. */
    private int entriesBefore(int line) {
        Generation owner = Generation.owner(generations, line);
        return owner == null ? 0 : owner.entry();
    }

    /** Returns how many entries there were when the generation began that writes the next line, or wrote it. */
    int entriesBeforeNext() {
        return entriesBefore(position + 1);
    }

    /** The number of the entry with which the newest generation began; 0 for the first one. */
    int restarted() {
        return generations.isEmpty() ? 0 : generations.getLast().entry();
    }

    LocalSteps localSteps() {
        return locals;
    }

    /** Reads what was added to the history and the inbox since. */
    void readInbox() {
        try {
            learn(journal.read(lines.size(), seen())); // not the size: a continuation deletes entries
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Returns how often a task was given up before a line that starts it again, which a key can do. Each time it was given up used up an
     * entry: the one that says so, or its end. Only lines of the same generation count, as do entries.
     */
    private int timesAbandoned(TaskId task, int before) {
        int times = 0;
        boolean watched = false;
        for (HistoryLine line : lines.subList(0, before - 1)) {
            if (task.equals(line.task()) && entriesBefore(line.number()) == entriesBefore(before)) {
                times += watched && line.kind() == Kind.ABANDONED ? 1 : 0;
                watched = line.kind() == Kind.STEP;
            }
        }
        return times;
    }

    <O extends @Nullable Object> O result(TaskStep<O> step) {
        return decoded(awaitEnd(step).document(), step.type().output());
    }

    /** Waits until a step has completed. */
    InboxEntry awaitEnd(Step<?> step) {
        InboxEntry end = await(() -> 1, null, () -> endOf(step));
        if (end.state() != TaskState.COMPLETED) {
            throw unsuccessful(step, end);
        }
        return end;
    }

    private TaskUnsuccessful unsuccessful(Step<?> step, InboxEntry end) {
        return switch (step) {
            case TaskStep<?> task -> unsuccessful(task, end);
            case LocalStep<?> local ->
                new TaskUnsuccessful(
                        "Local step \"" + local.label() + "\" has no outcome: " + end.error(),
                        journal.task().id(),
                        TaskState.FAILED,
                        end.error());
        };
    }

    private TaskUnsuccessful unsuccessful(TaskStep<?> step, InboxEntry end) {
        TaskState state = Objects.requireNonNull(end.state());
        String error = end.error();
        return new TaskUnsuccessful(
                "Step \"" + step.type().name() + "\" (task " + taskOf(step) + ") ended as " + state.word()
                        + (error == null ? "." : ": " + error),
                taskOf(step),
                state,
                error);
    }

    void all(List<? extends Step<?>> awaited) {
        Optional<Step<?>> failed = await(() -> open(awaited), null, () -> {
            InboxEntry first = null;
            Step<?> of = null;
            for (Step<?> step : awaited) {
                InboxEntry end = endOf(step);
                if (end != null
                        && end.state() != TaskState.COMPLETED
                        && (first == null || end.number() < first.number())) {
                    first = end;
                    of = step;
                }
            }
            return of != null ? Optional.of(of) : open(awaited) == 0 ? Optional.empty() : null;
        });
        failed.ifPresent(step -> {
            throw unsuccessful(step, Objects.requireNonNull(endOf(step)));
        });
    }

    /** Returns how many tasks are still open; two steps with one key may be one task. */
    private int open(List<? extends Step<?>> awaited) {
        return (int) awaited.stream()
                .filter(step -> endOf(step) == null)
                .map(step -> step instanceof TaskStep<?> task && task.line() <= lines.size() ? taskOf(task) : step)
                .distinct()
                .count();
    }

    <S extends Step<?>> S any(List<S> awaited) {
        if (awaited.isEmpty()) {
            throw new InvalidInput("Expected at least one step to wait for, but got none.");
        }
        return await(() -> 1, null, () -> {
            S first = null;
            int number = Integer.MAX_VALUE;
            for (S step : awaited) {
                InboxEntry end = endOf(step);
                if (end != null && end.number() < number) {
                    first = step;
                    number = end.number();
                }
            }
            return first;
        });
    }

    // ---- time and signals

    void sleep(UnaryOperator<Instant> until) {
        Instant wakeAt = timer("sleep", until);
        // What follows in the history proves that the time has passed, whatever the clock says now.
        boolean unused = await(() -> 1, wakeAt, () -> (position < lines.size() || !now.isBefore(wakeAt)) ? true : null);
    }

    private Instant timer(String name, UnaryOperator<Instant> until) {
        HistoryLine line = next(Kind.TIMER, name);
        if (line != null) {
            return Instant.parse(decoded(Objects.requireNonNull(line.document()), TypeRef.of(String.class)));
        }
        Instant wakeAt = until.apply(now);
        added.add(new NewLine.Note(Kind.TIMER, name, encoded(wakeAt.toString())));
        return wakeAt;
    }

    <T extends @Nullable Object> T signal(String name, TypeRef<T> type) {
        requireUsable();
        InboxEntry entry = await(() -> 1, null, () -> nextSignal(name));
        received.merge(name, 1, Integer::sum);
        return decoded(entry.document(), type);
    }

    <T> Optional<T> signal(String name, TypeRef<T> type, Duration timeout) {
        Instant limit = timer(name, time -> time.plus(timeout));
        if (isNext(Kind.TIMED_OUT)) {
            next(Kind.TIMED_OUT, name);
            return Optional.empty();
        }
        Optional<InboxEntry> entry = await(() -> 1, limit, () -> {
            if (isNext(Kind.TIMED_OUT)) {
                return Optional.empty(); // behind answers of this wait; a signal that came later does not count
            }
            InboxEntry accepted = nextSignal(name);
            return accepted != null ? Optional.of(accepted) : now.isBefore(limit) ? null : Optional.empty();
        });
        if (entry.isEmpty()) {
            note(Kind.TIMED_OUT, name, null);
            return Optional.empty();
        }
        received.merge(name, 1, Integer::sum);
        return Optional.ofNullable(decoded(entry.get().document(), type));
    }

    private @Nullable InboxEntry nextSignal(String name) {
        List<InboxEntry> accepted = signals.getOrDefault(name, List.of());
        int index = received.getOrDefault(name, 0);
        return index < accepted.size() ? accepted.get(index) : null;
    }

    // ---- waiting

    /** Returns what the code waits for, or ends the attempt. */
    private <T> T await(IntSupplier more, @Nullable Instant wakeAt, Supplier<@Nullable T> ready) {
        requireUsable();
        waits++;
        answerQuestions();
        if (isCancelledHere()) {
            throw delivered(lines.get(position).name());
        }
        T found = ready.get();
        while (found == null && !added.isEmpty() && !areSentWithWait()) {
            flush();
            answerQuestions(); // of which the answer of the store may have brought some
            found = ready.get();
        }
        if (locals.seen(seen()) < seen()) {
            // A local step was resolved after the code came past it: what follows is decided with that.
            throw suspend(1, null);
        }
        if (found != null) {
            return found;
        }
        if (position < lines.size()) {
            throw differs(lines.get(position), "waits for something that has not happened");
        }
        if (!cancelled && signals.containsKey(CANCEL)) {
            throw delivered(CANCEL);
        }
        if (!cancelled && deadline != null && !now.isBefore(deadline)) {
            throw delivered(TIME_LIMIT);
        }
        throw suspend(more.getAsInt(), earliest(wakeAt));
    }

    /** The time until which a wait lasts at the most: until the time limit, unless that has been delivered. */
    private @Nullable Instant earliest(@Nullable Instant wakeAt) {
        if (deadline == null || cancelled) {
            return wakeAt;
        }
        return wakeAt == null || deadline.isBefore(wakeAt) ? deadline : wakeAt;
    }

    /**
     * Returns whether the cancellation was delivered at this wait. Waits before it leave no line if what they waited for was there, so
     * the line of the cancellation may be next although it belongs to a later wait; it has the number of its own.
     */
    private boolean isCancelledHere() {
        return isNext(Kind.CANCELLED) && Delivered.of(lines.get(position)).atWait() == waits;
    }

    /**
     * The delivery of a cancellation, as its line keeps it.
     *
     * @param steps how many steps were open and are given up by the lines that follow
     * @param atWait at which wait of the code, counted from 1
     */
    private record Delivered(int steps, int atWait) {

        static Delivered of(HistoryLine line) {
            String[] parts = Objects.requireNonNull(line.document())
                    .replaceAll("[\\[\\]]", "")
                    .split(",", -1);
            return new Delivered(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        }

        String document() {
            return "[" + steps + "," + atWait + "]";
        }
    }

    private Suspended suspend(int more, @Nullable Instant wakeAt) {
        Journal.Until until = wakeAt == null ? new Journal.Until.Woken() : new Journal.Until.At(wakeAt);
        Suspended thrown;
        if (added.isEmpty() || !areSentWithWait()) {
            flush();
            thrown = journal.suspend(locals.seen(seen()), more, until);
        } else {
            // Not remembered: if another attempt has taken over, the history has other lines here.
            List<NewLine> batch = List.copyOf(added);
            long size =
                    batch.stream().mapToLong(line -> length(line.document())).sum();
            warnIfLong(lines.size(), bytes, lines.size() + batch.size(), bytes + size);
            thrown = journal.addAndSuspend(
                    lines.size() + 1, batch, () -> reportNew(batch), locals.seen(seen()), more, until);
        }
        suspended = thrown;
        return thrown;
    }

    /**
     * Returns whether the lines that were kept back can be sent with the wait that follows, without waiting for an answer in between: if the
     * store decides nothing about them that the code has to know. A history that may become too long is not among those.
     */
    private boolean areSentWithWait() {
        return added.size() <= MOST_TOGETHER
                && lines.size() + inbox.size() + added.size() <= Limits.HISTORY_LINES / 2
                && bytes <= Limits.HISTORY_BYTES / 2
                && added.stream().noneMatch(Turn::needsAnswer);
    }

    /** Reports steps without keys: their tasks are their own. */
    private void reportNew(List<NewLine> batch) {
        List<NewTask> asked = new ArrayList<>();
        for (NewLine line : batch) {
            if (line instanceof NewLine.Step(NewTask step)) {
                asked.add(step);
            }
        }
        if (!asked.isEmpty()) {
            steps.answered(asked, asked.stream().map(NewTask::id).toList());
        }
    }

    /** Begins to undo what the workflow did: no cancellation is delivered from here on. A restart has to know, so there is a line. */
    void compensate() {
        note(Kind.VALUE, RestartPoint.UNDOING, null);
        cancelled = true;
    }

    /** Delivers a cancellation: gives up the steps that are still open, and waits for their ends. */
    private RuntimeException delivered(String why) {
        List<TaskStep<?>> open = isNext(Kind.CANCELLED) ? List.of() : openSteps(Turn::endsWithParent);
        HistoryLine line = next(Kind.CANCELLED, why);
        cancelled = true;
        if (line == null) {
            added.add(new NewLine.Note(Kind.CANCELLED, why, new Delivered(open.size(), waits).document()));
        } else {
            open = stepsGivenUp(Delivered.of(line).steps());
        }
        giveUp(open);
        boolean timedOut = why.equals(TIME_LIMIT);
        return new WorkflowCancelled(
                timedOut
                        ? "The time limit of workflow " + journal.task().id() + " has passed, at " + deadline + "."
                        : "The cancellation of workflow " + journal.task().id() + " was requested.",
                timedOut);
    }

    /** Whether a step is given up when the workflow is cancelled or continues as new. */
    private static boolean endsWithParent(TaskStep<?> step) {
        return step.policy() == null || step.policy() == ChildPolicy.CANCEL;
    }

    private List<TaskStep<?>> openSteps(Predicate<TaskStep<?>> which) {
        List<TaskStep<?>> open = new ArrayList<>();
        for (TaskStep<?> step : started) {
            if (which.test(step) && !givenUp.contains(step.line()) && endOf(step) == null) {
                open.add(step);
            }
        }
        return open;
    }

    /** The steps that the next lines give up. They were open when those were written, and some may have ended since. */
    private List<TaskStep<?>> stepsGivenUp(int count) {
        Map<TaskId, TaskStep<?>> byTask = new HashMap<>();
        started.forEach(step -> byTask.putIfAbsent(taskOf(step), step));
        List<TaskStep<?>> open = new ArrayList<>();
        for (HistoryLine line : lines.subList(position, position + count)) {
            TaskStep<?> step = byTask.get(Objects.requireNonNull(line.task()));
            if (step != null) {
                open.add(step);
            }
        }
        return open;
    }

    private void giveUp(List<TaskStep<?>> open) {
        open.forEach(this::abandon);
        boolean unused = await(() -> open(open), null, () -> open(open) == 0 ? true : null);
    }

    /** Gives up steps that are open, behind a line that says how many, so that a replay gives up the same ones. */
    private void giveUp(String marker, Predicate<TaskStep<?>> which) {
        boolean recorded = isNext(Kind.VALUE) && lines.get(position).name().equals(marker);
        List<TaskStep<?>> open = recorded ? List.of() : openSteps(which);
        if (recorded) {
            HistoryLine line = Objects.requireNonNull(next(Kind.VALUE, marker));
            giveUp(stepsGivenUp(Integer.parseInt(Objects.requireNonNull(line.document()))));
        } else if (!open.isEmpty()) {
            note(Kind.VALUE, marker, open.size());
            giveUp(open);
        }
    }

    // ---- child workflows

    /** Ends the child workflows when the code has ended, each by its policy. From here on no cancellation is delivered. */
    void endChildren() {
        if (started.stream().noneMatch(step -> step.policy() != null)) {
            return;
        }
        cancelled = true;
        giveUp(RestartPoint.ENDING, step -> step.policy() == ChildPolicy.CANCEL);
        awaitChildren();
    }

    private void awaitChildren() {
        List<TaskStep<?>> children = started.stream()
                .<TaskStep<?>>map(step -> step)
                .filter(step -> step.policy() == ChildPolicy.WAIT)
                .toList();
        if (!children.isEmpty()) {
            boolean unused = await(() -> open(children), null, () -> open(children) == 0 ? true : null);
        }
    }

    // ---- questions

    <Q extends @Nullable Object> void onAsk(String name, TypeRef<Q> type, Answerer<Q> answerer) {
        requireUsable();
        questions.register(name, type, answerer);
    }

    /** Answers the questions that are open when the code ends. */
    void answerLast() {
        waits++;
        answerQuestions();
    }

    /**
     * Answers the questions that this wait has answered before, or those that are open if the code has come to the end of its history. The line of an
     * answer has the number of its wait, because other waits may have left no line.
     */
    private void answerQuestions() {
        while (isNext(Kind.VALUE) && lines.get(position).name().equals(NewLine.Answer.NAME)) {
            HistoryLine line = lines.get(position);
            Questions.Place place = Questions.Place.of(line.document());
            if (place.atWait() != waits) {
                return;
            }
            InboxEntry question = questions.find(place.entry());
            if (question == null) {
                throw differs(line, "has no answerer for the question in entry " + place.entry());
            }
            NewLine.Answer unused = answer(question);
            next(Kind.VALUE, NewLine.Answer.NAME);
        }
        if (position < lines.size()) {
            return;
        }
        for (InboxEntry question : questions.open()) {
            NewLine.Answer answer = answer(question);
            next(Kind.VALUE, NewLine.Answer.NAME);
            added.add(answer);
        }
    }

    private NewLine.Answer answer(InboxEntry question) {
        answering = true;
        try {
            return questions.answer(question, waits, journal.codec());
        } finally {
            answering = false;
        }
    }

    // ---- continuing as new

    /** Ends this generation of the history: gives up the steps that are open, waits for their ends, and begins the next one. */
    Suspended continueAsNew(@Nullable Object input, TypeRef<?> type) {
        requireUsable();
        String document = journal.codec().encode(input, type);
        Continuation.check(document); // before anything is given up
        Object unused = journal.codec().decode(document, type); // what does not fit would fail the next generation
        giveUp(CONTINUING, Turn::endsWithParent);
        awaitChildren();
        requireWhole();
        // The other lines would be deleted at once; a child that is left alone has to be started, and an answer to be
        // given.
        if (added.stream().anyMatch(line -> line instanceof NewLine.Answer || line instanceof NewLine.Step)) {
            flush();
        }
        Suspended thrown = journal.continueAsNew(seen(), unread(), document, since);
        suspended = thrown;
        return thrown;
    }

    /** The numbers of the entries that the next generation gets: signals that were not received, and a cancellation that was not delivered. */
    private List<Integer> unread() {
        List<Integer> unread = new ArrayList<>();
        signals.forEach((name, accepted) -> {
            boolean own = !name.startsWith(RESERVED_NAMES);
            if (own || (name.equals(CANCEL) && !cancelled)) {
                accepted.subList(received.getOrDefault(name, 0), accepted.size())
                        .forEach(entry -> unread.add(entry.number()));
            }
        });
        unread.addAll(questions.unanswered());
        return unread;
    }
}
