package dev.semel;

import dev.semel.task.Nearest;
import dev.semel.task.SafeLogger;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A check of names for typing mistakes. A name that nothing declares is allowed, because queues and types exist as soon
 * as they are named. But if it resembles a declared name, it is probably that name misspelled, and its tasks would wait
 * for ever: there is a warning, once for each name.
 */
final class NameCheck {

    private static final SafeLogger LOG = SafeLogger.of(NameCheck.class);

    // Names beyond this number are not checked, so that a program with a queue for each customer keeps no list of them.
    private static final int MOST_CHECKED = 1_000;

    private final String what;
    private final Set<String> declared = ConcurrentHashMap.newKeySet();
    private final Set<String> checked = ConcurrentHashMap.newKeySet();

    /**
     * Creates a check that knows no names.
     *
     * @param what the kind of the names, for the warning, for example {@code "queue"}
     */
    NameCheck(String what) {
        this.what = what;
    }

    /** Adds names that the configuration, the code or a worker of this instance has. */
    void declare(Collection<String> names) {
        declared.addAll(names);
    }

    /**
     * Warns if a name resembles a declared one and is none.
     *
     * @param name the name
     * @param where where it is used, for the warning, for example {@code "submission"}
     */
    void check(String name, String where) {
        if (declared.isEmpty() || declared.contains(name) || checked.contains(name)) {
            return;
        }
        if (checked.size() < MOST_CHECKED && checked.add(name)) {
            Nearest.to(
                            name,
                            declared.stream()
                                    .filter(known -> !isNumbered(known, name))
                                    .toList())
                    .ifPresent(near -> LOG.warn(
                            "Probably a typing mistake: {}={} used_by={} did_you_mean={}. Nothing declares that {}, but"
                                    + " something declares the similar one",
                            what,
                            name,
                            where,
                            near,
                            what));
        }
    }

    /** Returns whether two names differ only in their digits, like those of shards. */
    private static boolean isNumbered(String one, String other) {
        return withoutDigits(one).equals(withoutDigits(other));
    }

    private static String withoutDigits(String name) {
        return name.replaceAll("[0-9]", "");
    }
}
