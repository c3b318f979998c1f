package dev.semel.cli;

import dev.semel.store.Applied;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.StoreUnusable;
import java.util.List;

/**
 * A store whose claims and moves somebody watches. What a worker did is what the store answered to it, so that is where it
 * is read off: a handler knows neither whether its task goes into another attempt nor whether its outcome was refused.
 */
final class ObservedStore extends ForwardingTaskStore {

    /** Is told of claims and moves after they were answered, on the thread that made them. */
    interface Observer {
        /** Tasks were claimed, or none. */
        void claimed(ClaimRequest request, Claims claims);

        /** A claim was refused, and will be until somebody mends the store. */
        void refused(StoreUnusable why);

        /** A move was answered. */
        void applied(Transition move, Applied answer);
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
    public List<Applied> apply(List<Transition> batch) {
        List<Applied> answers = super.apply(batch);
        for (int i = 0; i < batch.size(); i++) {
            observer.applied(batch.get(i), answers.get(i));
        }
        return answers;
    }
}
