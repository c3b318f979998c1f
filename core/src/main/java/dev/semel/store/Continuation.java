package dev.semel.store;

import dev.semel.task.Json;
import dev.semel.task.JsonPointer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A generation of a workflow's history that its own code has begun, with a new input. It keeps no line, and of the inbox what the code has not
 * received. The rules are pure, and every store calls them in the step that begins the generation.
 *
 * @param input the input from then on, in JSON with sorted members
 * @param since from when on the time limit of the workflow counts
 * @param entry the number of the entry in the inbox that began it
 */
public record Continuation(String input, Instant since, int entry) {

    /**
     * The name of a signal that an earlier generation has received. Only its key is left, so that the signal is recognised when it is sent
     * again.
     */
    public static final String RECEIVED = "$received";

    /** The maximum number of received signals whose keys are kept, and of answers: the newest ones. */
    public static final int KEYS_KEPT = 1_000;

    /** The maximum size of the answers that are kept, in bytes: without it they would fill the history for ever. */
    public static final long ANSWER_BYTES_KEPT = 4L << 20;

    private static final JsonPointer INPUT = JsonPointer.of("input");
    private static final JsonPointer SINCE = JsonPointer.of("since");

    /**
     * Reads a continuation.
     *
     * @param entry an entry of an inbox
     * @return the continuation; empty if the entry is another one, or a restart
     */
    public static Optional<Continuation> of(InboxEntry entry) {
        String document = entry.document();
        if (document == null || !entry.name().equals(Generation.NAME)) {
            return Optional.empty();
        }
        Json json = Json.parse(document);
        return json.at(SINCE)
                .map(since -> new Continuation(
                        json.at(INPUT).map(Json::text).orElse("null"),
                        Instant.ofEpochMilli(Long.parseLong(since.text())),
                        entry.number()));
    }

    /**
     * Returns whether the code of the workflow has begun a generation, and not a restart.
     *
     * @param document the document of the entry that began it
     * @return whether it is a continuation
     */
    static boolean isBegunBy(String document) {
        return Json.parse(document).at(SINCE).isPresent();
    }

    /**
     * What becomes of an inbox.
     *
     * @param deleted the numbers of the entries that are deleted
     * @param received the numbers of the signals of which only the keys are left
     * @param bytes the size of what is left
     */
    public record Rest(List<Integer> deleted, List<Integer> received, long bytes) {}

    /**
     * Decides what becomes of an inbox: what the code has not seen or has not received stays. Of signals that it has received the keys stay, as many as
     * {@link #KEYS_KEPT}, and of answers at most {@link #ANSWER_BYTES_KEPT}, the newest. The ends of steps are deleted, because no line asks for them any more.
     *
     * @param next the settlement
     * @param inbox the whole inbox
     * @return what becomes of it
     */
    public static Rest rest(Settlement.Continue next, List<InboxEntry> inbox) {
        Set<Integer> unread = Set.copyOf(next.unread());
        List<Integer> deleted = new ArrayList<>();
        List<Integer> received = new ArrayList<>();
        long bytes = 0;
        int keys = 0;
        long answers = 0;
        for (InboxEntry entry : inbox.reversed()) {
            if (entry.number() > next.seen() || unread.contains(entry.number())) {
                bytes += StoredFlow.bytes(entry);
            } else if (!(isSignal(entry) || isAnswer(entry)) || keys == KEYS_KEPT) {
                deleted.add(entry.number());
            } else if (isAnswer(entry)) {
                answers += StoredFlow.bytes(entry);
                if (answers > ANSWER_BYTES_KEPT) {
                    deleted.add(entry.number());
                } else {
                    keys++;
                    bytes += StoredFlow.bytes(entry);
                }
            } else {
                keys++;
                bytes += StoredFlow.bytes(entry.received());
                if (!entry.name().equals(RECEIVED)) {
                    received.add(entry.number());
                }
            }
        }
        return new Rest(deleted, received, bytes);
    }

    private static boolean isAnswer(InboxEntry entry) {
        return entry.key() != null && entry.key().startsWith(StoredFlow.ANSWER_KEYS);
    }

    private static boolean isSignal(InboxEntry entry) {
        return entry.step() == null && entry.key() != null && StoredFlow.isSharedByRuns(entry.key());
    }

    /**
     * Checks that an input can be stored in an inbox.
     *
     * @param input the input in JSON
     * @throws dev.semel.task.InvalidInput if it is no JSON, or too large
     */
    public static void check(String input) {
        Json unusedAlone = Json.parse(input); // in a document it could bring members of its own
        Json unusedWhole = Json.parse(document(input, Instant.EPOCH, Integer.MAX_VALUE));
    }

    private static String document(String input, Instant since, int lines) {
        return "{\"from\":0,\"input\":" + input + ",\"since\":" + since.toEpochMilli() + ",\"lines\":" + lines + "}";
    }

    /** The entry that begins the generation, without a number. */
    static InboxEntry entry(Settlement.Continue next, int generation, int lines, Instant now) {
        String document = document(next.input(), next.since(), lines);
        return new InboxEntry(0, Generation.NAME, null, null, Generation.key(generation), document, null, now);
    }
}
