package dev.semel.wire;

import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.util.function.Function;

/**
 * One call of the protocol: its name, and the forms of its request and its answer.
 *
 * @param <Q> the type of requests
 * @param <A> the type of answers
 */
public final class Call<Q, A> {

    private final String name;
    private final Form<Q> request;
    private final Form<A> answer;

    Call(String name, Form<Q> request, Form<A> answer) {
        this.name = name;
        this.request = request;
        this.answer = answer;
    }

    /**
     * Returns the name of the call, which is the last part of its path.
     *
     * @return for example {@code submit}
     */
    public String name() {
        return name;
    }

    /**
     * Writes a request.
     *
     * @param value the request
     * @return the body
     */
    public byte[] request(Q value) {
        return write(request, value);
    }

    /**
     * Reads a request.
     *
     * @param body the body; its size is checked by the caller
     * @return the request
     * @throws InvalidInput if it is no such request
     */
    public Q readRequest(byte[] body) {
        return read(
                body,
                request,
                misread -> new InvalidInput("The request \"" + name + "\" cannot be read: " + misread.getMessage()
                        + ". Send what the protocol describes."));
    }

    /**
     * Writes an answer.
     *
     * @param value the answer
     * @return the body
     */
    public byte[] answer(A value) {
        return write(answer, value);
    }

    /**
     * Reads an answer.
     *
     * @param body the body
     * @return the answer
     * @throws StoreUnavailable if it is no JSON: something between the client and the server broke it
     * @throws StoreUnusable if it has a form that this version does not know
     */
    public A readAnswer(byte[] body) {
        return read(
                body,
                answer,
                misread -> misread.isJson()
                        ? new StoreUnusable("The answer to \"" + name + "\" cannot be understood: "
                                + misread.getMessage() + ". Use a client and a server of the same release.")
                        : new StoreUnavailable(
                                "The answer to \"" + name + "\" cannot be read: " + misread.getMessage() + "."));
    }

    private static <T> byte[] write(Form<T> form, T value) {
        JsonOutput out = new JsonOutput();
        form.write(out, value);
        return out.toBytes();
    }

    private static <T> T read(byte[] body, Form<T> form, Function<Misread, RuntimeException> failure) {
        try {
            return form.read(JsonInput.read(body));
        } catch (Misread e) {
            throw failure.apply(e);
        } catch (InvalidInput | IllegalArgumentException e) {
            // Thrown by the constructor of a value.
            throw failure.apply(Misread.wrong(String.valueOf(e.getMessage())));
        }
    }
}
