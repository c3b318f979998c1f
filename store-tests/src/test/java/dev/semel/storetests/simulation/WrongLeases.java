package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The planted bugs that concern claims and their leases. */
final class WrongLeases {

    private WrongLeases() {}

    static final class LeasesDoNotEnd extends WrongStore {

        private static final Duration LONG = Duration.ofDays(1);

        LeasesDoNotEnd(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest claimDraft) {
            return right.claim(new ClaimRequest(
                    claimDraft.claim(),
                    claimDraft.repeated(),
                    claimDraft.queues(),
                    claimDraft.types(),
                    claimDraft.limit(),
                    claimDraft.limited(),
                    claimDraft.suspects(),
                    LONG,
                    claimDraft.worker()));
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            Function<Settlement, Settlement> longer = settlement -> settlement instanceof Settlement.Extend extend
                    ? new Settlement.Extend(extend.lease(), LONG)
                    : settlement;
            return right.settle(batch.stream().map(longer).toList());
        }
    }

    static final class SuspectsNotLimited extends WrongStore {

        SuspectsNotLimited(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest claimDraft) {
            return right.claim(new ClaimRequest(
                    claimDraft.claim(),
                    claimDraft.repeated(),
                    claimDraft.queues(),
                    claimDraft.types(),
                    claimDraft.limit(),
                    claimDraft.limited(),
                    claimDraft.limit(),
                    claimDraft.lease(),
                    claimDraft.worker()));
        }
    }
}
