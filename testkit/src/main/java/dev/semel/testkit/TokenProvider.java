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
 * A fake of somebody whom a handler calls: a payment gateway, a mail service. It keeps books of what it was asked for under
 * which token. One that honours tokens does nothing when it knows the token already, and gives the first receipt again; one
 * that ignores them does everything that it is asked for. Safe for many threads.
 *
 * <p>In a {@link HandlerTrial}, made by {@link TrialRun#provider} or {@link TrialRun#providerWithoutTokens}, it is observed,
 * and handlers are disturbed in the middle of its calls.
 */
public final class TokenProvider {

    /**
     * What was done.
     *
     * @param token the token that it was asked for with
     * @param what what it was
     * @param receipt what was answered
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
     * A provider that knows a token again.
     *
     * @param name its name, for people
     * @return the provider
     */
    public static TokenProvider honouringTokens(String name) {
        return new TokenProvider(name, true, null);
    }

    /**
     * A provider to which every call is a new one.
     *
     * @param name its name, for people
     * @return the provider
     */
    public static TokenProvider ignoringTokens(String name) {
        return new TokenProvider(name, false, null);
    }

    /**
     * Its name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Asks it to do something.
     *
     * @param token the token; of no meaning to a provider that ignores them
     * @param what what it should do; for people, and compared with {@code equals} in a trial
     * @return a receipt: the name of the provider and a number
     * @throws IOException in a trial, if the answer gets lost: what was asked for is done
     */
    public String call(String token, Object what) throws IOException {
        note("is called for " + what + " under token " + shortened(token));
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
            note("knows the token, and gives receipt " + before.get() + " again");
            return before.get();
        }
        String receipt = name + "-" + (charges.size() + 1);
        charges.add(new Charge(token, what, receipt));
        note("does it: " + what + ", receipt " + receipt);
        return receipt;
    }

    /**
     * Looks whether something was done under a token.
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
     * Looks whether something was done under a token, as {@code probeIfUnknown} wants to know it.
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
     * Everything that was done.
     *
     * @return in the order in which it was done
     */
    public synchronized List<Charge> charges() {
        return List.copyOf(charges);
    }

    /**
     * Everything that was done, without tokens and receipts.
     *
     * @return in the order in which it was done
     */
    public synchronized List<Object> done() {
        return charges.stream().map(Charge::what).toList();
    }

    /**
     * How often it was called with a token, those calls included that it did nothing for because it knew the token.
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
