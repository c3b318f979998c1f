package dev.semel.storetests.simulation;

import dev.semel.store.Applied;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The planted bugs that concern claims and their leases. */
final class WrongLeases {

    private WrongLeases() {}

    static final class LeasesDoNotEnd extends WrongStore {

        private static final Duration LONG = Duration.ofDays(1);

        LeasesDoNotEnd(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest wish) {
            return right.claim(new ClaimRequest(
                    wish.claim(),
                    wish.repeated(),
                    wish.queues(),
                    wish.types(),
                    wish.limit(),
                    wish.limited(),
                    wish.suspects(),
                    LONG,
                    wish.worker()));
        }

        @Override
        public List<Applied> apply(List<Transition> batch) {
            UnaryOperator<Transition> longer = move ->
                    move instanceof Transition.Extend extend ? new Transition.Extend(extend.lease(), LONG) : move;
            return right.apply(batch.stream().map(longer).toList());
        }
    }

    static final class SuspectsNotLimited extends WrongStore {

        SuspectsNotLimited(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest wish) {
            return right.claim(new ClaimRequest(
                    wish.claim(),
                    wish.repeated(),
                    wish.queues(),
                    wish.types(),
                    wish.limit(),
                    wish.limited(),
                    wish.limit(),
                    wish.lease(),
                    wish.worker()));
        }
    }
}
