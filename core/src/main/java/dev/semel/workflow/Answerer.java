package dev.semel.workflow;

import org.jspecify.annotations.Nullable;

/**
 * Answers a question to a workflow. It runs on the thread of the workflow's code whenever that waits, and in every replay, so it must do the same each
 * time. It may read and change variables of the code, and must not use the {@link Flow}.
 *
 * @param <Q> the class of the question
 */
@FunctionalInterface
public interface Answerer<Q extends @Nullable Object> {

    /**
     * Answers a question.
     *
     * @param question what was asked
     * @return the answer
     * @throws Exception if the question is rejected; the caller gets its message
     */
    @Nullable
    Object answer(Q question) throws Exception;
}
