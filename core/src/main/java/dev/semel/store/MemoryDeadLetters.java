package dev.semel.store;

import java.time.Instant;

/** Forwards dead tasks to the dead-letter queues of their queues, for {@link InMemoryTaskStore}. */
final class MemoryDeadLetters {

    private final MemorySubmissions submitting;

    MemoryDeadLetters(MemorySubmissions submitting) {
        this.submitting = submitting;
    }

    void forward(Task dead, Consequences then, Instant now) {
        if (then.deadLetterQueue() != null) {
            submitting.submit(DeadLetter.of(dead, then.deadLetterQueue(), now), now);
        }
    }
}
