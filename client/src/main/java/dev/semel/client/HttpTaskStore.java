package dev.semel.client;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.RejectedAdvances;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ScheduleId;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.wire.About;
import dev.semel.wire.BatchCall;
import dev.semel.wire.Call;
import dev.semel.wire.Calls;
import dev.semel.wire.OfTask;
import dev.semel.wire.Part;
import dev.semel.wire.Protocol;
import dev.semel.wire.Question;
import dev.semel.wire.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store that is a Semel server. Submitters, workers and workflows run on it unchanged, in any number of processes.
 *
 * <p>What it cannot do it says by its capabilities: it can neither join a transaction of the caller's own nor complete a task in
 * one transaction with the handler's writes, because the caller's database is not the server's. It is maintained by the server
 * ({@link #isMaintained}), so it has no background work of its own. Operations that concern all tenants (settings of queues,
 * sweeps) need a token with the scope {@code admin} that is bound to no tenant.
 *
 * <p>It never sends a request twice by itself. A request whose answer did not arrive ends in
 * {@link dev.semel.task.StoreUnavailable}, and its caller decides: repeated silently, a batch would be answered partly by what its own
 * first copy did.
 */
public final class HttpTaskStore implements TaskStore {

    private final Exchange exchange;
    private final HintStream hints;
    private final String name;
    private volatile int concurrentSubmissions = 1;
    private volatile boolean closed;

    private HttpTaskStore(HttpSettings settings) {
        this.name = "The store at " + settings.server();
        this.exchange = new Exchange(settings);
        this.hints = new HintStream(exchange);
    }

    /**
     * Opens the store of a server.
     *
     * @param url where the server is, such as {@code https://semel.example.com}
     * @return the store
     * @throws dev.semel.task.StoreUnavailable if the server does not answer
     * @throws StoreUnusable if it is no Semel server, or speaks another version of the protocol
     */
    public static HttpTaskStore open(String url) {
        return open(HttpSettings.of(url));
    }

    /**
     * Opens the store of a server.
     *
     * @param settings where the server is, and how to speak to it
     * @return the store
     * @throws dev.semel.task.StoreUnavailable if the server does not answer
     * @throws StoreUnusable if it is no Semel server, rejects the token, or speaks another version of the protocol
     */
    public static HttpTaskStore open(HttpSettings settings) {
        HttpTaskStore store = new HttpTaskStore(Limits.notNull("settings", settings));
        try {
            About about = store.ask(Calls.ABOUT, new Question.Plain());
            store.concurrentSubmissions = Math.clamp(about.concurrentSubmissions(), 1, settings.connections());
            return store;
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        if (batch.size() > MAX_BATCH) {
            throw new InvalidInput("A batch has at most " + MAX_BATCH + " requests, but got " + batch.size() + ".");
        }
        return askInOrder(Calls.SUBMIT, batch);
    }

    @Override
    public int concurrentSubmissions() {
        return concurrentSubmissions;
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return ask(Calls.CLAIM, request);
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        checkOpen();
        // A batch may need several calls, of which each knows only its own advances.
        RejectedAdvances rejected = new RejectedAdvances();
        List<Settled> answers = new ArrayList<>(batch.size());
        while (answers.size() < batch.size()) {
            int from = answers.size();
            Optional<Settled> known = rejected.answer(batch.get(from));
            if (known.isPresent()) {
                answers.add(known.get());
                continue;
            }
            int to = from + 1;
            while (to < batch.size() && rejected.answer(batch.get(to)).isEmpty()) {
                to++;
            }
            BatchCall.Request request = Calls.SETTLE.next(batch.subList(0, to), from);
            answers.addAll(Calls.SETTLE.readAnswer(post(Calls.SETTLE.name(), request.body()), request.items()));
            for (int i = from; i < answers.size(); i++) {
                rejected.note(batch.get(i), answers.get(i));
            }
        }
        return answers;
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        return askInOrder(Calls.OPERATE, batch);
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        return ask(Calls.DUE_SCHEDULES, new Question.Due(limit));
    }

    @Override
    public Swept sweep(SweepRequest request) {
        return ask(Calls.SWEEP, request);
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return byKey(askInParts(Calls.FIND, ids), Task::id, task -> task);
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        return byKey(askInParts(Calls.ATTEMPTS, ids), OfTask::task, OfTask::value);
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return byKey(askInParts(Calls.EFFECTS, lineages), OfTask::task, OfTask::value);
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        return byKey(askInParts(Calls.HISTORIES, queries), OfTask::task, OfTask::value);
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        return byKey(askInParts(Calls.SCHEDULES, ids), ScheduleRecord::id, schedule -> schedule);
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        Map<Identity, KeyRecord> found = new HashMap<>();
        for (List<Identity> some : requests(identities)) {
            ask(Calls.RECORDS, some).forEach(key -> found.put(key.identity(), key));
        }
        return found;
    }

    @Override
    public Map<String, QueueSetUp> queues(Collection<String> names) {
        Map<String, QueueSetUp> found = new HashMap<>();
        for (List<String> some : requests(names)) {
            found.putAll(ask(Calls.QUEUES, some));
        }
        return found;
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return ask(Calls.ALL_QUEUES, new Question.Plain());
    }

    @Override
    public Page list(TaskQuery query) {
        return ask(Calls.LIST, query);
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return ask(Calls.LIST_EFFECTS, query);
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        List<ScheduleRecord> all = new ArrayList<>();
        ScheduleQuery next = query;
        while (true) {
            Slice<ScheduleRecord> slice = ask(Calls.LIST_SCHEDULES, next);
            all.addAll(slice.values());
            // Fewer than the limit would mean that there are no more.
            if (!slice.more() || slice.values().isEmpty() || all.size() >= query.limit()) {
                return all;
            }
            next = new ScheduleQuery(query.tenant(), all.getLast().id(), query.limit() - all.size());
        }
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return ask(Calls.DEPTHS, new Question.Depths(tenant));
    }

    @Override
    public Registration listen(StoreListener listener) {
        checkOpen();
        return hints.listen(listener);
    }

    @Override
    public boolean isMaintained() {
        return true;
    }

    @Override
    public void close() {
        closed = true;
        hints.close();
        exchange.close();
    }

    private void checkOpen() {
        if (closed) {
            throw StoreUnusable.closed(name);
        }
    }

    private byte[] post(String call, byte[] body) {
        checkOpen();
        try {
            return exchange.post(call, body);
        } catch (RuntimeException e) {
            checkOpen(); // closed meanwhile: another try would not help
            throw e;
        }
    }

    private <Q, A> A ask(Call<Q, A> call, Q request) {
        return call.readAnswer(post(call.name(), call.request(request)));
    }

    /** Sends a batch as one request or several, one after the other: a later item finds what an earlier one did. */
    private <Q, A> List<A> askInOrder(BatchCall<Q, A> call, List<? extends Q> batch) {
        checkOpen();
        List<A> answers = new ArrayList<>(batch.size());
        while (answers.size() < batch.size()) {
            BatchCall.Request request = call.next(batch, answers.size());
            answers.addAll(call.readAnswer(post(call.name(), request.body()), request.items()));
        }
        return answers;
    }

    /** Asks for many things, and again for those that did not fit into an answer. */
    private <Q, T> List<T> askInParts(Call<List<Q>, Part<T>> call, Collection<Q> wanted) {
        checkOpen();
        List<Q> all = List.copyOf(new LinkedHashSet<>(wanted));
        List<T> found = new ArrayList<>();
        int asked = 0;
        while (asked < all.size()) {
            List<Q> some = all.subList(asked, Math.min(all.size(), asked + Protocol.MAX_ITEMS));
            Part<T> part = ask(call, some);
            if (part.answered() < 1 || part.answered() > some.size()) {
                throw new StoreUnusable("Expected an answer to 1 to " + some.size() + " items of \"" + call.name()
                        + "\", but got one to " + part.answered() + ". Use a client and a server of the same release.");
            }
            found.addAll(part.values());
            asked += part.answered();
        }
        return found;
    }

    private <Q> List<List<Q>> requests(Collection<Q> wanted) {
        checkOpen();
        List<Q> all = List.copyOf(new LinkedHashSet<>(wanted));
        List<List<Q>> requests = new ArrayList<>();
        for (int from = 0; from < all.size(); from += Protocol.MAX_ITEMS) {
            requests.add(all.subList(from, Math.min(all.size(), from + Protocol.MAX_ITEMS)));
        }
        return requests;
    }

    private static <T, K, V> Map<K, V> byKey(List<T> values, Function<T, K> key, Function<T, V> value) {
        Map<K, V> map = new HashMap<>();
        values.forEach(one -> map.put(key.apply(one), value.apply(one)));
        return map;
    }
}
