package dev.semel.server.store;

import static dev.semel.server.store.StorePart.ADMIN;
import static dev.semel.server.store.StorePart.READ;
import static dev.semel.server.store.StorePart.SUBMIT;
import static dev.semel.server.store.StorePart.WORK;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Submitting;
import dev.semel.store.TaskStore;
import dev.semel.wire.About;
import dev.semel.wire.BatchCall;
import dev.semel.wire.Call;
import dev.semel.wire.Calls;
import dev.semel.wire.Protocol;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BiFunction;

/** All calls of the wire, on the server's side. */
final class StoreCalls {

    /** The maximum size of a request, except for settlements. */
    static final int MAX_BYTES = 32 << 20;

    private StoreCalls() {}

    static List<StoreCall> all() {
        List<StoreCall> calls = new ArrayList<>();
        calls.add(call(
                Calls.ABOUT,
                (store, plain) -> new About(Protocol.VERSION, store.concurrentSubmissions()),
                SUBMIT,
                WORK,
                READ,
                ADMIN));
        calls.add(batch(Calls.SUBMIT, Submitting::submit, MAX_BYTES, SUBMIT));
        calls.add(call(Calls.CLAIM, (store, request) -> store.claim(bounded(request)), WORK));
        // One advance may carry a whole history.
        calls.add(batch(Calls.SETTLE, TaskStore::settle, Protocol.MAX_REQUEST_BYTES, WORK));
        calls.add(batch(Calls.OPERATE, TaskStore::operate, MAX_BYTES, ADMIN));
        calls.add(call(Calls.FIND, LargeReads::find, SUBMIT, WORK, READ));
        calls.add(call(Calls.ATTEMPTS, LargeReads::attempts, WORK, READ));
        calls.add(call(
                Calls.RECORDS,
                (store, identities) -> List.copyOf(store.records(identities).values()),
                SUBMIT,
                READ));
        calls.add(call(Calls.EFFECTS, LargeReads::effects, WORK, READ));
        calls.add(call(Calls.HISTORIES, LargeReads::histories, WORK, READ));
        // Workers too: the engine asks how long a queue keeps what has ended.
        calls.add(call(Calls.QUEUES, TaskStore::queues, SUBMIT, WORK, READ));
        calls.add(call(Calls.ALL_QUEUES, (store, plain) -> store.queues(), READ));
        calls.add(call(Calls.LIST, LargeReads::list, READ));
        calls.add(call(Calls.LIST_EFFECTS, LargeReads::listEffects, READ));
        calls.add(call(Calls.SCHEDULES, LargeReads::schedules, READ));
        calls.add(call(Calls.LIST_SCHEDULES, LargeReads::listSchedules, READ));
        calls.add(call(Calls.DEPTHS, (store, depths) -> store.depths(depths.tenant()), READ));
        calls.add(call(Calls.DUE_SCHEDULES, (store, due) -> store.dueSchedules(due.limit()), ADMIN));
        calls.add(call(Calls.SWEEP, TaskStore::sweep, ADMIN));
        return List.copyOf(calls);
    }

    private static <Q, A> StoreCall call(Call<Q, A> call, BiFunction<TaskStore, Q, A> action, StorePart... parts) {
        return new StoreCall(
                call.name(),
                EnumSet.copyOf(List.of(parts)),
                MAX_BYTES,
                (store, body) -> call.answer(action.apply(store, call.readRequest(body))));
    }

    private static <Q, A> StoreCall batch(
            BatchCall<Q, A> call, BiFunction<TaskStore, List<Q>, List<A>> action, int maxBytes, StorePart part) {
        return new StoreCall(
                call.name(),
                EnumSet.of(part),
                maxBytes,
                (store, body) -> call.answer(action.apply(store, call.readRequest(body))));
    }

    /** A claim whose inputs fit into an answer (C10). */
    private static ClaimRequest bounded(ClaimRequest request) {
        return request.bytes() <= Protocol.ANSWER_BYTES
                ? request
                : new ClaimRequest(
                        request.claim(),
                        request.repeated(),
                        request.queues(),
                        request.types(),
                        request.limit(),
                        request.limited(),
                        request.suspects(),
                        Protocol.ANSWER_BYTES,
                        request.lease(),
                        request.worker(),
                        request.tenant());
    }
}
