package dev.semel.storetests.storm;

import dev.semel.store.Generation;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.storetests.storm.FlowEvidence.Begun;
import dev.semel.storetests.storm.FlowEvidence.Flow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Judges the generations of one workflow, and what each of them has left of its inbox: F18, F19, F21 and F22 under contention. */
final class GenerationChecker {

    private final Flow flow;
    private final boolean mayBeCancelled;
    private final List<String> wrong = new ArrayList<>();

    private GenerationChecker(Flow flow, boolean mayBeCancelled) {
        this.flow = flow;
        this.mayBeCancelled = mayBeCancelled;
    }

    /**
     * Checks a workflow.
     *
     * @param mayBeCancelled whether its task may have been cancelled, so that it ended instead of continuing as new
     * @return what is wrong
     */
    static List<String> check(Flow flow, boolean mayBeCancelled) {
        GenerationChecker checker = new GenerationChecker(flow, mayBeCancelled);
        checker.checkInbox();
        checker.checkGenerations();
        return checker.wrong;
    }

    /** Each read has all entries up to its newest one, but for those that the code had received when it continued as new. */
    private void checkInbox() {
        for (FlowHistory.Read read : flow.reads) {
            Map<Integer, InboxEntry> shown = new HashMap<>();
            read.history().inbox().forEach(entry -> shown.put(entry.number(), entry));
            for (InboxEntry entry : flow.inbox
                    .subMap(read.query().inbox(), false, read.inbox(), true)
                    .values()) {
                boolean consumed = flow.generations.values().stream()
                        .anyMatch(begun -> begun.entry().number() <= read.inbox() && begun.consumes(entry));
                InboxEntry found = shown.get(entry.number());
                boolean stays = !consumed || FlowEvidence.isSignal(entry);
                if (stays != (found != null) || (found != null && FlowEvidence.isReceived(found) != consumed)) {
                    wrong.add(entry + " of workflow " + flow.id + (consumed ? " was" : " was not")
                            + " received by a generation that continued as new, but was read as " + found + " by "
                            + read.query() + " of " + read.history());
                    return;
                }
            }
        }
    }

    /** Each generation has begun once, with something that was sent; and who was told so has begun it. */
    private void checkGenerations() {
        int number = 1;
        int cancellations = 0;
        for (InboxEntry entry : flow.inbox.values()) {
            Generation begun = Generation.of(entry).orElse(null);
            if (begun != null && begun.number() != ++number) {
                wrong.add(entry + " of workflow " + flow.id + " is not that of generation " + number);
                return;
            }
            cancellations = begun != null ? 0 : cancellations + (FlowEvidence.isCancellation(entry) ? 1 : 0);
            if (cancellations > 1) {
                wrong.add(entry + " of workflow " + flow.id + " requests a cancellation that was requested before");
            }
        }
        flow.generations.forEach((generation, begun) -> {
            boolean sent = begun.isContinuation()
                    ? begun.next() != null
                    : flow.restarts.stream().anyMatch(restart -> begins(restart, generation, begun));
            if (!sent) {
                wrong.add("generation " + generation + " of workflow " + flow.id
                        + " has begun with something that was rejected or never sent: "
                        + begun.entry().document());
            }
        });
        for (StormOperation sent : flow.restarts) {
            if (sent.action() instanceof StormOperation.Operate(Operation.Restart restart, Operated answer)
                    && answer == Operated.APPLIED) {
                Begun begun = flow.generations.get(restart.generation() + 1);
                if (begun == null || !begins(sent, restart.generation() + 1, begun)) {
                    wrong.add(
                            restart + " was applied, but the next generation of workflow " + flow.id + " is " + begun);
                }
            }
        }
        flow.endings
                .values()
                .forEach(endings -> endings.forEach(sent -> {
                    if (sent.action()
                                    instanceof StormOperation.Settle(Settlement.Continue next, Settled answer, var join)
                            && answer == Settled.APPLIED
                            && !mayBeCancelled
                            && flow.generations.values().stream().noneMatch(begun -> next.equals(begun.next()))) {
                        wrong.add(
                                next + " of workflow " + flow.id + " was applied, but no generation has begun with it");
                    }
                }));
    }

    static boolean begins(StormOperation sent, int generation, Begun begun) {
        return sent.action() instanceof StormOperation.Operate(Operation.Restart restart, Operated answer)
                && (answer == null || answer == Operated.APPLIED)
                && !begun.isContinuation()
                && restart.generation() + 1 == generation
                && restart.from() == begun.from();
    }
}
