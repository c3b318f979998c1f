package dev.semel.task;

/**
 * The right of one worker to run one attempt of a task; every write of the worker carries it.
 *
 * @param taskId the task
 * @param attempt the attempt: it rises with every claim and never falls, so it fences off whoever came before
 */
public record Lease(TaskId taskId, int attempt) {}
