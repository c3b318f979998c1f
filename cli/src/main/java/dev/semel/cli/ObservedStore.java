package dev.semel.cli;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnusable;
import java.util.List;

/**
 * A store that reports claims and settlements to an observer. The store's answers say what a worker did: a handler
 * knows neither whether its task gets another attempt nor whether its outcome was rejected.
 */
final class ObservedStore extends ForwardingTaskStore {

    /** Receives claims and settlements after the store has answered, on the thread that made them. */
    interface Observer {
        /** Reports a claim, which may be empty. */
        void claimed(ClaimRequest request, Claims claims);

        /** Reports a rejected claim. The store rejects all further claims until an operator fixes it. */
        void refused(StoreUnusable why);

        /** Reports the answer to a settlement. */
        void settled(Settlement settlement, Settled answer);
    }

    private final Observer observer;

    ObservedStore(TaskStore store, Observer observer) {
        super(store);
        this.observer = observer;
    }

    @Override
    public Claims claim(ClaimRequest request) {
        try {
            Claims claims = super.claim(request);
            observer.claimed(request, claims);
            return claims;
        } catch (StoreUnusable e) {
            observer.refused(e);
            throw e;
        }
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        List<Settled> answers = super.settle(batch);
        for (int i = 0; i < batch.size(); i++) {
            observer.settled(batch.get(i), answers.get(i));
        }
        return answers;
    }
}
