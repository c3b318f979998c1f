package dev.semel.testkit;

import dev.semel.engine.Probe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A fake of a service that a handler calls, such as a payment gateway or a mail service. It records each call and its
 * token. A provider that honours tokens does nothing for a known token, and returns the first receipt again; a provider
 * that ignores tokens performs every call. Safe for many threads.
 *
 * <p>In a {@link HandlerTrial}, a provider from {@link TrialRun#provider} or {@link TrialRun#providerWithoutTokens} is
 * observed, and handlers are disturbed in the middle of its calls.
 */
public final class TokenProvider {

    /**
     * An action that the provider performed.
     *
     * @param token the token of the call
     * @param what the action
     * @param receipt the returned receipt
     */
    public record Charge(String token, Object what, String receipt) {}

    private final String name;
    private final boolean honoursTokens;
    private final @Nullable TrialRun run;
    private final List<Charge> charges = new ArrayList<>();
    private final Map<String, Integer> calls = new LinkedHashMap<>();

    TokenProvider(String name, boolean honoursTokens, @Nullable TrialRun run) {
        this.name = name;
        this.honoursTokens = honoursTokens;
        this.run = run;
    }

    /**
     * Returns a provider that recognises a repeated token.
     *
     * @param name its name, for people
     * @return the provider
     */
    public static TokenProvider honouringTokens(String name) {
        return new TokenProvider(name, true, null);
    }

    /**
     * Returns a provider that treats every call as new.
     *
     * @param name its name, for people
     * @return the provider
     */
    public static TokenProvider ignoringTokens(String name) {
        return new TokenProvider(name, false, null);
    }

    /**
     * Returns its name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Calls the provider.
     *
     * @param token the token; a provider that ignores tokens only records it
     * @param what the action; shown to people, and compared with {@code equals} in a trial
     * @return a receipt: the name of the provider and a number
     * @throws IOException in a trial, if the answer is lost; the action is performed
     */
    public String call(String token, Object what) throws IOException {
        note("is called for " + what + " with token " + shortened(token));
        moment();
        String receipt = charge(token, what);
        moment();
        if (run != null && run.rehearsal().losesProvidersAnswer("\"" + name + "\" is called for " + what)) {
            note("does not answer");
            throw new IOException(name + " did not answer");
        }
        return receipt;
    }

    private synchronized String charge(String token, Object what) {
        calls.merge(token, 1, Integer::sum);
        Optional<String> before = receipt(token);
        if (honoursTokens && before.isPresent()) {
            note("knows the token, and returns receipt " + before.get() + " again");
            return before.get();
        }
        String receipt = name + "-" + (charges.size() + 1);
        charges.add(new Charge(token, what, receipt));
        note("performs " + what + ", receipt " + receipt);
        return receipt;
    }

    /**
     * Returns the receipt of the first call with a token.
     *
     * @param token the token
     * @return the first receipt; empty if nothing was done
     */
    public synchronized Optional<String> receipt(String token) {
        return charges.stream()
                .filter(charge -> charge.token().equals(token))
                .map(Charge::receipt)
                .findFirst();
    }

    /**
     * Looks up a token, in the form that {@code probeIfUnknown} expects.
     *
     * @param token the token
     * @return done with the first receipt, or not done
     */
    public Probe.Answer<String> probe(String token) {
        Optional<String> receipt = receipt(token);
        note("is asked about token " + shortened(token) + ": " + receipt.orElse("nothing was done"));
        return receipt.isPresent() ? Probe.Answer.done(receipt.get()) : Probe.Answer.notDone();
    }

    /**
     * Returns all performed actions with their tokens and receipts.
     *
     * @return in the order in which it was done
     */
    public synchronized List<Charge> charges() {
        return List.copyOf(charges);
    }

    /**
     * Returns all performed actions without tokens and receipts.
     *
     * @return in the order in which it was done
     */
    public synchronized List<Object> done() {
        return charges.stream().map(Charge::what).toList();
    }

    /**
     * Returns how often the provider was called with a token, including calls for which it did nothing because it knew
     * the token.
     *
     * @param token the token
     * @return the number of calls
     */
    public synchronized int calls(String token) {
        return calls.getOrDefault(token, 0);
    }

    private void note(String what) {
        if (run != null) {
            run.rehearsal().note(name, what);
        }
    }

    private void moment() {
        if (run != null) {
            run.rehearsal().moment();
        }
    }

    private static String shortened(String token) {
        return token.length() <= 8 ? token : token.substring(0, 8) + "…";
    }
}
