package dev.semel.storetests.storm;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Looks for executions at the same time that exclude each other. An execution counts from the answer to its claim until its
 * worker asks for its end, and no longer than its lease is certain to hold: so what overlaps here did overlap.
 */
final class ExecutionChecker {

    /** One attempt, while it certainly held its lease. */
    private record Execution(StormOperation claim, Task task, Lease lease, long from, long until) {}

    private final StormClock clock;
    private final Map<AttemptId, List<StormOperation>> settlementsOf = new HashMap<>();
    private final List<Execution> executions = new ArrayList<>();

    ExecutionChecker(StormClock clock, List<StormOperation> operations) {
        this.clock = clock;
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Settle settle) {
                settlementsOf
                        .computeIfAbsent(settle.settlement().lease().attemptId(), attempt -> new ArrayList<>())
                        .add(operation);
            }
        }
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Claim claim) {
                executions.add(execution(operation, claim));
            }
        }
        executions.sort(Comparator.comparingLong(Execution::from));
    }

    private Execution execution(StormOperation operation, StormOperation.Claim claim) {
        Claimed claimed = claim.claimed();
        long leaseEnd = operation.span().clockAsked() + claim.lease().toMillis();
        long until = Long.MAX_VALUE;
        List<StormOperation> settlements =
                settlementsOf.getOrDefault(claimed.lease().attemptId(), List.of());
        for (StormOperation sent : settlements.stream()
                .sorted(Comparator.comparingLong(each -> each.span().asked()))
                .toList()) {
            StormOperation.Settle settle = (StormOperation.Settle) sent.action();
            if (settle.settlement() instanceof Settlement.Ending) {
                until = Math.min(until, sent.span().asked());
            } else if (settle.settlement() instanceof Settlement.Extend extend) {
                long extended = sent.span().clockAsked() + extend.duration().toMillis();
                Settled answer = settle.answer();
                boolean holds = (answer == Settled.APPLIED || answer == Settled.CANCEL_REQUESTED)
                        && sent.span().clockAnswered() < leaseEnd;
                leaseEnd = holds ? extended : Math.min(leaseEnd, extended);
            }
        }
        until = Math.min(until, clock.nanosBefore(leaseEnd));
        return new Execution(
                operation, claimed.task(), claimed.lease(), operation.span().answered(), until);
    }

    /**
     * Checks all executions.
     *
     * @param concurrencies how many tasks of a queue run at most
     * @return what is wrong
     */
    List<String> check(Map<String, Integer> concurrencies) {
        List<String> wrong = new ArrayList<>();
        Map<Object, List<Execution>> exclusive = new LinkedHashMap<>();
        for (Execution execution : executions) {
            Task task = execution.task();
            Identity identity = task.identity();
            String mutex = task.options().mutex();
            put(exclusive, task.id(), execution);
            if (identity != null) {
                put(exclusive, identity, execution);
            }
            if (mutex != null) {
                put(exclusive, List.of("mutex", task.tenant(), task.type(), mutex), execution);
            }
        }
        exclusive.forEach((what, all) -> wrong.addAll(overlaps(what, all, 1)));
        concurrencies.forEach((queue, most) -> {
            List<Execution> all = executions.stream()
                    .filter(each -> each.task().queue().equals(queue))
                    .toList();
            wrong.addAll(overlaps("queue " + queue + " with concurrency " + most, all, most));
        });
        return wrong;
    }

    private static void put(Map<Object, List<Execution>> groups, Object group, Execution execution) {
        groups.computeIfAbsent(group, any -> new ArrayList<>()).add(execution);
    }

    private static List<String> overlaps(Object what, List<Execution> all, int most) {
        PriorityQueue<Execution> running = new PriorityQueue<>(Comparator.comparingLong(Execution::until));
        List<String> wrong = new ArrayList<>();
        for (Execution execution : all) {
            if (execution.until() <= execution.from()) {
                continue;
            }
            while (!running.isEmpty() && running.peek().until() <= execution.from()) {
                running.remove();
            }
            running.add(execution);
            if (running.size() > most) {
                StringBuilder text =
                        new StringBuilder(running.size() + " executions at the same time of " + what + ":");
                long since = all.getFirst().claim().span().asked();
                running.forEach(each -> text.append("\n  ")
                        .append(each.claim().line(since))
                        .append(" certainly ran for %.3f ms".formatted((each.until() - each.from()) / 1e6)));
                wrong.add(text.toString());
                return wrong;
            }
        }
        return wrong;
    }
}
