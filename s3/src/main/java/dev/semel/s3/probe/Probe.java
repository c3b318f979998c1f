package dev.semel.s3.probe;

import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.PutAnswer;
import dev.semel.s3.objects.PutAnswer.Outcome;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RequestFailed;
import dev.semel.s3.objects.StoredObject;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Tries out whether a service creates an object only if it is absent: 32 creations of one fresh name at once, of which exactly one
 * may succeed, and one over an existing object, which must be refused. Some services ignore the condition, and some check it
 * too early to be right under concurrency.
 */
public final class Probe {

    /** How many creations race. */
    public static final int RACERS = 32;

    /** The name under which a prefix remembers that it was tried out. */
    public static final String REMEMBERED = "semel/probe.json";

    /**
     * How many races are run. One race can end well by chance on a service that checks too early: S3Mock let a second creation
     * through in 10 of 32 races just after its start, and in 13 to 20 of 32 later. So many in a row end well with a chance of about one in
     * a hundred thousand.
     */
    public static final int RACES = 32;

    // S3Mock let a second creation through twice as often as with a few bytes, because its write takes longer.
    private static final int BYTES = 4 << 10;

    private Probe() {}

    /**
     * What a service did.
     *
     * @param passed whether it can be relied on
     * @param finding one sentence
     */
    public record Report(boolean passed, String finding) {}

    /**
     * Tries out the service unless this prefix remembers that it was tried out.
     *
     * @param service opens the service, one request for each call
     * @param objects the objects of the same prefix
     * @param where the place, for the message
     * @throws StoreUnusable if the service cannot be relied on
     */
    public static void ensure(Supplier<ObjectService> service, ObjectStore objects, String where) {
        if (remembered(objects).length() > 0) {
            return;
        }
        Report report = run(service);
        if (!report.passed()) {
            throw new StoreUnusable("The service of \"" + where + "\" cannot be relied on: " + report.finding()
                    + " Two programs could take the same task. Use a service whose conditional writes (If-None-Match:"
                    + " *) are atomic.");
        }
        Creation remembered = objects.create(
                REMEMBERED,
                ("{\"format\": 1, \"finding\": \"" + report.finding() + "\"}\n").getBytes(StandardCharsets.UTF_8),
                Mark.next(new SecureRandom()));
        if (remembered instanceof Creation.Exists) {
            return; // another program tried it out at the same time
        }
    }

    /**
     * Returns what a prefix remembers.
     *
     * @param objects the objects of the prefix
     * @return the content of the object; empty if it was not tried out
     */
    public static String remembered(ObjectStore objects) {
        return objects.get(REMEMBERED) instanceof Reading.Found(StoredObject object, Instant date)
                ? new String(object.content(), StandardCharsets.UTF_8).strip()
                : "";
    }

    /**
     * Tries out a service.
     *
     * @param service opens it
     * @return what it did
     */
    public static Report run(Supplier<ObjectService> service) {
        SecureRandom random = new SecureRandom();
        try (ObjectService requests = service.get()) {
            List<Race> races = new ArrayList<>();
            for (int i = 0; i < RACES; i++) {
                Race race = race(requests, random);
                if (race.created() > 1) {
                    return new Report(
                            false,
                            "of " + RACERS + " creations of one object at once " + race.created()
                                    + " succeeded, but one may.");
                }
                races.add(race);
            }
            // Afterwards and at once, so that a race costs the time of one request.
            for (Report report : all(races, race -> check(requests, race, random))) {
                if (!report.passed()) {
                    return report;
                }
            }
            return new Report(
                    true,
                    "of " + RACERS + " creations of one object at once exactly one succeeded, in " + RACES
                            + " races, and one over an existing object was refused.");
        }
    }

    /** A race that was run: one creation of the name for each mark, and what became of it. */
    private record Race(String name, List<Mark> marks, List<Outcome> outcomes) {

        long created() {
            return outcomes.stream().filter(Outcome.CREATED::equals).count();
        }
    }

    /** Sends creations of one fresh name at the same moment, after the first race over connections that are open. */
    private static Race race(ObjectService requests, SecureRandom random) {
        String name = "semel/probe/" + Mark.next(random).hex();
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            marks.add(Mark.next(random));
        }
        CountDownLatch ready = new CountDownLatch(RACERS);
        List<Outcome> outcomes = all(marks, mark -> {
            byte[] content = content(mark);
            ready.countDown();
            ready.await();
            try {
                return requests.put(name, content, mark).outcome();
            } catch (RequestFailed e) {
                return Outcome.CONFLICT; // without an answer nothing is known, so nothing speaks against the service
            }
        });
        return new Race(name, marks, outcomes);
    }

    private static Report check(ObjectService requests, Race race, SecureRandom random) {
        boolean created = race.created() == 1;
        try {
            PutAnswer over = requests.put(race.name(), content(race.marks().getFirst()), Mark.next(random));
            if (created && over.outcome() == Outcome.CREATED) {
                return new Report(false, "a creation over an existing object succeeded, but must be refused.");
            }
            if (!(requests.get(race.name()) instanceof Reading.Found(StoredObject found, Instant date))) {
                return new Report(false, "an object that was created is not found.");
            }
            if (created) {
                Mark winner = race.marks().get(race.outcomes().indexOf(Outcome.CREATED));
                if (!winner.equals(found.mark())) {
                    return new Report(
                            false, "an object does not have the metadata with which it was created, or was replaced.");
                }
            }
            requests.delete(race.name());
        } catch (RequestFailed e) {
            throw new StoreUnavailable(
                    "The object service could not be tried out: " + e.getMessage() + " Try again.", e);
        }
        return new Report(true, "");
    }

    private interface Request<T, R> {
        R send(T item) throws InterruptedException;
    }

    /** Sends a request for each item at the same time, and returns the answers in the order of the items. */
    private static <T, R> List<R> all(List<T> items, Request<T, R> request) {
        List<Future<R>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (T item : items) {
                answers.add(threads.submit(() -> request.send(item)));
            }
            List<R> all = new ArrayList<>();
            for (Future<R> answer : answers) {
                all.add(answer.get());
            }
            return all;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            throw new StoreUnavailable("The object service could not be tried out.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("The thread was interrupted while it tried out the object service.", e);
        }
    }

    private static byte[] content(Mark mark) {
        return mark.hex().repeat(BYTES / mark.hex().length()).getBytes(StandardCharsets.US_ASCII);
    }
}
