package dev.semel.task;

/**
 * The name of one attempt of a task.
 *
 * @param taskId the task
 * @param attempt its number, from 1 on
 */
public record AttemptId(TaskId taskId, int attempt) {}
