package dev.semel.engine;

import dev.semel.store.Applied;
import dev.semel.store.EffectRecord;
import dev.semel.store.Transition;
import dev.semel.task.TaskId;
import java.util.List;
import java.util.function.Consumer;

/** The way from a handler's thread to the store's ledger of effects. */
interface Ledger {

    /**
     * Records a move and waits until it is durable, in one commit with what other handlers record at the same time.
     *
     * @param move the move
     * @return the store's answer
     * @throws InterruptedException if the thread was interrupted; the move may be recorded nevertheless
     */
    Applied record(Transition move) throws InterruptedException;

    /**
     * Records a move soon: with the next one, or a moment later.
     *
     * @param move the move
     * @param answered gets the answer
     */
    void recordSoon(Transition move, Consumer<Applied> answered);

    /**
     * Waits until everything is recorded that was to be soon.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    void flush() throws InterruptedException;

    /**
     * Reads the effects of a lineage.
     *
     * @param lineage the lineage
     * @return its effects
     * @throws InterruptedException if the thread was interrupted
     */
    List<EffectRecord> read(TaskId lineage) throws InterruptedException;
}
