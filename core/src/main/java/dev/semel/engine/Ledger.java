package dev.semel.engine;

import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The access of a handler's thread to the store's ledger of effects. */
interface Ledger {

    /**
     * Records a settlement and waits until it is durable. Handlers that record at the same time share a commit.
     *
     * @param settlement the settlement
     * @return the store's answer
     * @throws InterruptedException if the thread was interrupted; the settlement may be recorded nevertheless
     */
    Settled record(Settlement settlement) throws InterruptedException;

    /**
     * Records a settlement without waiting: it is sent with the next settlement, or a moment later.
     *
     * @param settlement the settlement
     * @param answered gets the store's answer
     */
    void recordSoon(Settlement settlement, Consumer<Settled> answered);

    /**
     * Waits until all settlements that were passed to {@link #recordSoon} are recorded.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    void flush() throws InterruptedException;

    /**
     * Reads the effects of a lineage.
     *
     * @param lineage the lineage
     * @return all effects of the lineage
     * @throws InterruptedException if the thread was interrupted
     */
    List<EffectRecord> read(TaskId lineage) throws InterruptedException;

    /**
     * Reads the history of a workflow.
     *
     * @param query the workflow, and what is known of it
     * @return what is newer
     * @throws InterruptedException if the thread was interrupted
     */
    History history(History.Query query) throws InterruptedException;

    /** Returns the source of randomness. */
    RandomGenerator random();
}
