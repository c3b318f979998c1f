package dev.semel.wire;

import dev.semel.task.StoreUnusable;
import java.util.List;

/**
 * A call with many items, each of which is answered, in order.
 *
 * @param <Q> the type of items
 * @param <A> the type of their answers
 */
public final class BatchCall<Q, A> {

    private final Call<List<Q>, List<A>> call;
    private final Form<Q> item;

    BatchCall(String name, Form<Q> item, Form<A> answer) {
        this.call = new Call<>(name, item.list(Protocol.MAX_ITEMS), answer.list());
        this.item = item;
    }

    /**
     * A request with some of the items of a batch.
     *
     * @param body the body
     * @param items how many items it has
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Request(byte[] body, int items) {}

    /**
     * Returns the name of the call, which is the last part of its path.
     *
     * @return for example {@code submit}
     */
    public String name() {
        return call.name();
    }

    /**
     * Writes the next request of a batch: at most {@link Protocol#MAX_ITEMS} items, and no more than fit into
     * {@link Protocol#REQUEST_BYTES} unless the last one exceeds it.
     *
     * @param batch the batch
     * @param from the first item that was not sent yet
     * @return the request, with at least one item
     */
    public Request next(List<? extends Q> batch, int from) {
        JsonOutput out = new JsonOutput().beginArray();
        int items = 0;
        while (from + items < batch.size() && items < Protocol.MAX_ITEMS && out.size() < Protocol.REQUEST_BYTES) {
            item.write(out, batch.get(from + items));
            items++;
        }
        return new Request(out.endArray().toBytes(), items);
    }

    /**
     * Reads a request.
     *
     * @param body the body
     * @return its items
     * @throws dev.semel.task.InvalidInput if it is no such request, or has too many items
     */
    public List<Q> readRequest(byte[] body) {
        return call.readRequest(body);
    }

    /**
     * Writes the answers.
     *
     * @param answers one for each item, in order
     * @return the body
     */
    public byte[] answer(List<A> answers) {
        return call.answer(answers);
    }

    /**
     * Reads the answers.
     *
     * @param body the body
     * @param items how many items the request had
     * @return as many answers
     */
    public List<A> readAnswer(byte[] body, int items) {
        List<A> answers = call.readAnswer(body);
        if (answers.size() != items) {
            throw new StoreUnusable("Expected " + items + " answers to \"" + name() + "\", but got " + answers.size()
                    + ". Use a client and a server of the same release.");
        }
        return answers;
    }
}
