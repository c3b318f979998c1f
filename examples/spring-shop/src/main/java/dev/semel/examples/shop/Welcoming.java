package dev.semel.examples.shop;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.spring.TypedHandler;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.time.Duration;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The job of docs/how-to/coming-from.md: a letter to a new customer, and another one a week later. */
final class Welcoming {

    private Welcoming() {}

    /** Writes letters. */
    interface Post {

        void send(String token, String address, String letter);
    }

    // snippet: handler
    record Letter(String address, String text) {}

    static final TaskType<Letter, Void> SEND = TaskType.builder("send_letter", Letter.class, Void.class)
            .retry(RetryPolicy.attempts(5))
            .timeout(Duration.ofMinutes(1))
            .build();

    @Component
    static class SendLetter implements TypedHandler<Letter, Void> {

        private final Post post;

        SendLetter(Post post) {
            this.post = post;
        }

        @Override
        public TaskType<Letter, Void> type() {
            return SEND;
        }

        @Override
        public Void handle(TaskContext context, Letter letter) {
            context.effect("post", token -> post.send(token, letter.address(), letter.text()));
            return null;
        }
    }
    // end

    // snippet: submit
    @Service
    static class Customers {

        private final Semel semel;

        Customers(Semel semel) {
            this.semel = semel;
        }

        @Transactional
        public void register(String customer, String address) {
            // … the customer's own rows, in the same transaction
            semel.submit(SEND, new Letter(address, "welcome"))
                    .idempotencyKey("welcome-" + customer)
                    .send();
            semel.submit(SEND, new Letter(address, "how do you like it?"))
                    .idempotencyKey("reminder-" + customer)
                    .delay(Duration.ofDays(7))
                    .send();
        }
    }
    // end
}
