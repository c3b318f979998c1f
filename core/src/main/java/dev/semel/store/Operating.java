package dev.semel.store;

import java.util.List;

/**
 * The part of a store for operators. Declarations of queues and sweeps come from programs that open the storage themselves,
 * never from a remote client.
 */
public interface Operating {

    /**
     * Carries out operations, one answer per item, in order.
     *
     * @param batch the operations
     * @return as many answers as there are operations
     */
    List<Operated> operate(List<? extends Operation> batch);

    /**
     * Finds the schedules whose next tick is due by the store's clock.
     *
     * @param limit how many at the most
     * @return the schedules, the store's time, and how long until the next one is due
     */
    DueSchedules dueSchedules(int limit);

    /**
     * Removes data that has outlived its retention or window, in one bounded step.
     *
     * @param request what may be removed
     * @return what was removed
     */
    Swept sweep(SweepRequest request);
}
