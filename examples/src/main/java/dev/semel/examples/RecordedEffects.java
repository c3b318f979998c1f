package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.engine.Probe;
import dev.semel.engine.TaskContext;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectNotDone;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The program of docs/how-to/effects.md. */
public final class RecordedEffects {

    record Order(String id, long cents, List<String> parcels) {}

    record Receipt(String payment) {}

    static final TaskType<Order, Receipt> CHARGE = type("charge", Receipt.class);
    static final TaskType<Order, Receipt> PROBED = type("charge_and_probe", Receipt.class);
    static final TaskType<Order, Receipt> PARKED = type("charge_or_park", Receipt.class);
    static final TaskType<Order, Receipt> WITHIN = type("charge_within_a_day", Receipt.class);
    static final TaskType<Order, Receipt> REACHED = type("charge_if_reached", Receipt.class);
    static final TaskType<Order, String> NEWS = type("send_news", String.class);
    static final TaskType<Order, List<String>> LABELS = labels();

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Order ORDER = new Order("ORD-1", 9900, List.of("books", "lamp"));

    // Moved by hand, so that a day passes in no time.
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final Bank bank = new Bank();
    private final List<String> sent = new ArrayList<>();

    private RecordedEffects() {}

    private static <O> TaskType<Order, O> type(String name, Class<O> output) {
        return TaskType.builder(name, Order.class, output)
                .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO))
                .build();
    }

    @SuppressWarnings("unchecked")
    private static TaskType<Order, List<String>> labels() {
        return type("print_labels", (Class<List<String>>) (Class<?>) List.class);
    }

    /** A stand-in for a payment provider that honours tokens. Its next answer can be lost. */
    private static final class Bank {

        private final List<String> tokens = new ArrayList<>();
        private int calls;
        private @Nullable Runnable whileAnswerIsLost;
        private boolean isDown;

        synchronized void loseNextAnswer(Runnable meanwhile) {
            whileAnswerIsLost = meanwhile;
        }

        synchronized void goDownOnce() {
            isDown = true;
        }

        synchronized int calls() {
            return calls;
        }

        synchronized Receipt charge(Order order, String token) throws IOException {
            if (isDown) {
                isDown = false;
                throw new ConnectException("No route to the bank for " + order.id());
            }
            calls++;
            if (!tokens.contains(token)) {
                tokens.add(token);
            }
            Runnable meanwhile = whileAnswerIsLost;
            if (meanwhile != null) {
                whileAnswerIsLost = null;
                meanwhile.run();
                throw new IOException("The bank's answer about " + order.id() + " was lost");
            }
            return receipt(token);
        }

        synchronized Optional<Receipt> find(String token) {
            return tokens.contains(token) ? Optional.of(receipt(token)) : Optional.empty();
        }

        private Receipt receipt(String token) {
            return new Receipt("payment " + (tokens.indexOf(token) + 1));
        }
    }

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code effects.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "effects.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        new RecordedEffects().show(file, out);
    }

    private void show(Path file, PrintStream out) {
        TaskStore store = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(now::get).withElapsed(now::get));
        try (Semel semel = Semel.on(store).build()) {
            start(semel);
            once(semel, out);
            probed(semel, out);
            parked(semel, store, out);
            window(semel, store, out);
            loop(semel, out);
            notDone(semel, out);
            news(semel, out);
        }
    }

    private void start(Semel semel) {
        semel.worker("default")
                .handle(CHARGE, this::charge)
                .handle(PROBED, this::chargeAndProbe)
                .handle(PARKED, this::chargeOrPark)
                .handle(WITHIN, this::chargeWithinADay)
                .handle(LABELS, this::printLabels)
                .handle(REACHED, this::chargeIfReached)
                .handle(NEWS, this::sendNews)
                .start();
    }

    // snippet: charge
    private Receipt charge(TaskContext context, Order order) throws IOException {
        Receipt receipt = context.effect("charge", Receipt.class, token -> bank.charge(order, token));
        context.effect("mail", token -> send("mail about " + order.id(), context.attempt()));
        return receipt;
    }
    // end

    private void send(String what, int attempt) throws IOException {
        if (attempt == 1) {
            throw new IOException("The mail server is busy");
        }
        sent.add(what);
    }

    private void once(Semel semel, PrintStream out) {
        Receipt receipt = semel.submit(CHARGE, ORDER).send().result(PATIENCE);
        out.println(receipt.payment() + " after two attempts, calls of the bank: " + bank.calls());
    }

    // snippet: probe
    private Receipt chargeAndProbe(TaskContext context, Order order) throws IOException {
        return context.effect("charge", Receipt.class)
                .probeIfUnknown(token -> {
                    Optional<Receipt> found = bank.find(token);
                    return found.isPresent() ? Probe.Answer.done(found.get()) : Probe.Answer.notDone();
                })
                .run(token -> bank.charge(order, token));
    }
    // end

    private void probed(Semel semel, PrintStream out) {
        bank.loseNextAnswer(() -> {});
        Receipt receipt = semel.submit(PROBED, ORDER).send().result(PATIENCE);
        out.println(receipt.payment() + " was found by its token, calls of the bank: " + bank.calls());
    }

    // snippet: park
    private Receipt chargeOrPark(TaskContext context, Order order) throws IOException {
        return context.effect("charge", Receipt.class).parkIfUnknown().run(token -> bank.charge(order, token));
    }
    // end

    private void parked(Semel semel, TaskStore store, PrintStream out) {
        bank.loseNextAnswer(() -> {});
        TaskId id = semel.submit(PARKED, ORDER).send().taskId();
        awaitWaiting(store);
        // snippet: resolve
        for (EffectRecord effect :
                semel.effects().list(EffectQuery.unknown(100)).effects()) {
            Resolution word = new Resolution(
                    Resolution.Verdict.DONE,
                    "{\"payment\":\"payment 3\"}",
                    "support desk",
                    "it is in the bank's list of today");
            out.println("effect " + effect.id().label() + ": " + semel.effects().resolve(effect, word));
        }
        // end
        out.println(semel.handle(PARKED, id).result(PATIENCE).payment() + " was given by a person");
    }

    // snippet: window
    private Receipt chargeWithinADay(TaskContext context, Order order) throws IOException {
        return context.effect("charge", Receipt.class)
                .providerWindow(Duration.ofHours(24))
                .run(token -> bank.charge(order, token));
    }
    // end

    private void window(Semel semel, TaskStore store, PrintStream out) {
        bank.loseNextAnswer(() -> now.updateAndGet(before -> before.plus(Duration.ofHours(25))));
        TaskId id = semel.submit(WITHIN, ORDER).send().taskId();
        Task parked = awaitWaiting(store);
        out.println(parked.progress().lastError());
        // snippet: look
        EffectRecord effect = semel.effects().of(id).getFirst();
        out.println("effect " + effect.id().label() + " is " + effect.state().word() + ", its window has passed: "
                + effect.windowPassed());
        // end
        semel.operations().cancel(id);
    }

    // snippet: loop
    private List<String> printLabels(TaskContext context, Order order) {
        List<String> labels = new ArrayList<>();
        for (int i = 0; i < order.parcels().size(); i++) {
            String parcel = order.parcels().get(i);
            labels.add(context.effect("label", i, String.class, token -> "label for " + parcel));
        }
        return labels;
    }
    // end

    private void loop(Semel semel, PrintStream out) {
        TaskId id = semel.submit(LABELS, ORDER).send().taskId();
        out.println(semel.handle(LABELS, id).result(PATIENCE));
        semel.effects().of(id).forEach(effect -> out.println(effect.id().label() + " " + effect.result()));
    }

    // snippet: not-done
    private Receipt chargeIfReached(TaskContext context, Order order) throws IOException {
        return context.effect("charge", Receipt.class).parkIfUnknown().run(token -> {
            try {
                return bank.charge(order, token);
            } catch (ConnectException e) {
                throw new EffectNotDone("The bank was not reached.", e);
            }
        });
    }
    // end

    private void notDone(Semel semel, PrintStream out) {
        bank.goDownOnce();
        Receipt receipt = semel.submit(REACHED, ORDER).send().result(PATIENCE);
        out.println(receipt.payment() + " although the bank was down at first, without asking a person");
    }

    // snippet: assume
    private String sendNews(TaskContext context, Order order) throws IOException {
        return context.effect("news", String.class)
                .assumeDoneIfUnknown("assumed")
                .run(token -> {
                    sent.add("news");
                    throw new IOException("No answer, but some have received it");
                });
    }
    // end

    private void news(Semel semel, PrintStream out) {
        String how = semel.submit(NEWS, ORDER).send().result(PATIENCE);
        out.println("news sent once: " + (sent.stream().filter("news"::equals).count() == 1) + ", " + how);
    }

    private static Task awaitWaiting(TaskStore store) {
        TaskQuery waiting = TaskQuery.builder().states(TaskState.WAITING).build();
        List<Task> found = store.list(waiting).tasks();
        while (found.isEmpty()) {
            LockSupport.parkNanos(1_000_000);
            found = store.list(waiting).tasks();
        }
        return found.getFirst();
    }
}
