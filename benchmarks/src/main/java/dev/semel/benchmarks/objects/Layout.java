package dev.semel.benchmarks.objects;

import java.util.List;
import java.util.function.Consumer;

/** How tasks could be laid out in objects. */
interface Layout {

    /**
     * Submits a task with a key.
     *
     * @param process zero-based number of the process that submits
     * @param task the task's number
     * @param answered called when the submission is answered
     */
    void submit(int process, int task, Runnable answered);

    /**
     * Claims tasks.
     *
     * @param process zero-based number of the process that claims
     * @param limit how many at the most
     * @param answered called with what was claimed
     */
    void claim(int process, int limit, Consumer<List<Integer>> answered);

    /**
     * Completes a task, up to and including the deletion of everything that it leaves after its retention.
     *
     * @param process zero-based number of the process that completes
     * @param task the task's number
     * @param answered called when the completion is answered
     */
    void complete(int process, int task, Runnable answered);

    /** {@return how often a process lost a race} */
    long lost();
}
