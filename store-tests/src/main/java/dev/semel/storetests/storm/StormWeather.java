package dev.semel.storetests.storm;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The activities of one round. Not everything at once: where a window passes or an answer is lost, more orders are possible, and the
 * checker can say less.
 *
 * @param conditions what happens in the round
 * @param faults the share of calls that fail, before or after they are done
 */
record StormWeather(Set<Condition> conditions, double faults) {

    /** Something that happens in some rounds and not in others. */
    enum Condition {
        /** Windows are short enough to pass. */
        EXPIRY,
        /** Keys are released. */
        RELEASES,
        /** The store is swept. */
        SWEEPS,
        /** Leases expire before their worker settles. */
        SHORT_LEASES,
        /** Threads are interrupted in their calls. */
        INTERRUPTS,
        /** The surroundings of the store are disturbed, for example its connections cut. */
        DISTURBANCES,
        /** Another process is at work on the store as well, and killed now and then if the surroundings are disturbed. */
        PROCESSES,
        /** Tasks are cancelled, redriven and looked at. */
        OPERATORS,
        /** Attempts record effects. */
        EFFECTS,
        /** Tasks share mutexes. */
        MUTEXES,
        /** Submissions join transactions. */
        JOINS,
        /** Actors move schedules forward, whose ticks create and cancel tasks. */
        SCHEDULES,
        /** Queues forward their dead letters to another queue, and that one to a third. */
        DEAD_LETTERS,
        /** One queue has a retention of zero. */
        BARE_QUEUE,
        /** Actors run workflows, whose steps are tasks. */
        WORKFLOWS,
        /** Batches of a hundred and more, in turn with new keys only and with keys that the one before used. */
        BULK
    }

    /** The weather of a seed: every third round everything that is answered, every third also what is lost. */
    static StormWeather of(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ 0x5EA5_0000L);
        int kind = (int) Math.floorMod(seed, 3L);
        Set<Condition> conditions = EnumSet.noneOf(Condition.class);
        if (kind == 0) {
            // One key, one task, with nothing in the way: the strictest check.
            for (Condition condition : EnumSet.of(
                    Condition.PROCESSES,
                    Condition.OPERATORS,
                    Condition.SCHEDULES,
                    Condition.DEAD_LETTERS,
                    Condition.BARE_QUEUE,
                    Condition.WORKFLOWS,
                    Condition.BULK)) {
                if (random.nextBoolean()) {
                    conditions.add(condition);
                }
            }
            return new StormWeather(conditions, 0);
        }
        for (Condition condition : Condition.values()) {
            boolean chosen = switch (condition) {
                case EXPIRY, RELEASES, SWEEPS, SHORT_LEASES -> random.nextInt(3) > 0;
                case INTERRUPTS, DISTURBANCES -> random.nextBoolean() && kind == 2;
                case OPERATORS -> true;
                case PROCESSES, EFFECTS, MUTEXES, JOINS, SCHEDULES, DEAD_LETTERS, BARE_QUEUE, WORKFLOWS, BULK ->
                    random.nextBoolean();
            };
            if (chosen) {
                conditions.add(condition);
            }
        }
        return new StormWeather(conditions, kind == 2 && random.nextInt(4) > 0 ? 0.04 : 0);
    }

    boolean has(Condition condition) {
        return conditions.contains(condition);
    }

    /** Whether every call is answered, so that none is sent twice. */
    boolean isCalm() {
        return faults == 0 && !has(Condition.INTERRUPTS) && !has(Condition.DISTURBANCES);
    }

    /** Whether a series of runs can end, so that the next task is run 1 again. */
    boolean seriesEnd() {
        return has(Condition.EXPIRY) || has(Condition.RELEASES);
    }
}
