package dev.semel.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Hands Jetty's requests to the dispatcher and writes its replies. */
final class JettyHandler extends Handler.Abstract {

    private final Dispatcher dispatcher;
    private final BodyBudget budget;
    private final ListenerSettings settings;
    private final AtomicInteger running = new AtomicInteger();

    JettyHandler(Dispatcher dispatcher, BodyBudget budget, ListenerSettings settings) {
        this.dispatcher = dispatcher;
        this.budget = budget;
        this.settings = settings;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        long begin = System.nanoTime();
        running.incrementAndGet();
        JettyRequest received = new JettyRequest(request, budget, settings.bodyTimeout());
        // A request that waits for something to happen is not idle.
        request.addIdleTimeoutListener(timeout -> false);
        Dispatcher.Answer answer = dispatcher.answer(received);
        Callback done = new Done(callback, received, answer, begin);
        write(response, answer.reply(), received.id(), done);
        return true;
    }

    private static void write(Response response, Reply reply, String id, Callback done) {
        response.setStatus(reply.status());
        response.getHeaders().put("X-Request-Id", id);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        response.getHeaders().put("Cache-Control", "no-store");
        reply.headers().forEach((name, value) -> response.getHeaders().put(new HttpField(name, value)));
        Reply.StreamWriter stream = reply.stream();
        if (stream == null) {
            response.getHeaders().put("Content-Length", reply.body().length);
            response.write(true, ByteBuffer.wrap(reply.body()), done);
            return;
        }
        try (OutputStream out = Content.Sink.asOutputStream(response)) {
            stream.write(out);
        } catch (IOException | RuntimeException e) {
            done.failed(e);
            return;
        }
        done.succeeded();
    }

    int running() {
        return running.get();
    }

    /** The end of a request, after its reply was written or could not be. */
    private final class Done implements Callback {

        private final Callback callback;
        private final JettyRequest received;
        private final Dispatcher.Answer answer;
        private final long begin;

        Done(Callback callback, JettyRequest received, Dispatcher.Answer answer, long begin) {
            this.callback = callback;
            this.received = received;
            this.answer = answer;
            this.begin = begin;
        }

        @Override
        public void succeeded() {
            end(answer.reply().status());
            callback.succeeded();
        }

        @Override
        public void failed(@Nullable Throwable failure) {
            end(499);
            callback.failed(failure);
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }

        private void end(int status) {
            received.release();
            running.decrementAndGet();
            dispatcher.note(received, answer, status, System.nanoTime() - begin);
        }
    }
}
