package dev.semel.client;

import dev.semel.wire.Protocol;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects a body, up to a limit: an answer without an end must not fill the memory. */
final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {

    private final HttpResponse.BodySubscriber<byte[]> whole = HttpResponse.BodySubscribers.ofByteArray();
    private Flow.@Nullable Subscription subscription;
    private long size;

    private LimitedBody() {}

    static HttpResponse.BodyHandler<byte[]> handler() {
        return info -> new LimitedBody();
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole.getBody();
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
        this.subscription = begun;
        whole.onSubscribe(begun);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            size += buffer.remaining();
        }
        if (size <= Protocol.MAX_ANSWER_BYTES) {
            whole.onNext(buffers);
        } else if (subscription != null) {
            subscription.cancel();
            whole.onError(new IOException("The answer has more than " + Protocol.MAX_ANSWER_BYTES + " bytes"));
        }
    }

    @Override
    public void onError(Throwable failure) {
        whole.onError(failure);
    }

    @Override
    public void onComplete() {
        whole.onComplete();
    }
}
