package dev.semel.cli;

import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A preview of what another run of a task will do about the effects of its lineage. */
final class EffectOutlook {

    // The maximum number of effects that are named of each kind; the others are counted.
    private static final int NAMED = 5;

    private final List<EffectRecord> effects;

    EffectOutlook(List<EffectRecord> effects) {
        this.effects =
                effects.stream().sorted(Comparator.comparing(EffectRecord::id)).toList();
    }

    /** Returns a summary in one line; empty without effects. */
    String line() {
        Map<String, List<EffectRecord>> kinds = new LinkedHashMap<>();
        kinds.put("done: ", those(effect -> effect.state() == EffectState.DONE));
        kinds.put("not done: ", those(effect -> effect.state() == EffectState.NOT_DONE));
        kinds.put("in progress: ", those(effect -> effect.state() == EffectState.IN_PROGRESS));
        kinds.put("unknown: ", those(effect -> isUnknown(effect) && !effect.windowPassed()));
        kinds.put("unknown and past its window: ", those(effect -> isUnknown(effect) && effect.windowPassed()));
        return kinds.entrySet().stream()
                .filter(kind -> !kind.getValue().isEmpty())
                .map(kind -> kind.getKey() + named(kind.getValue()))
                .collect(Collectors.joining("; "));
    }

    /** Returns the preview in sentences; none without effects. */
    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        say(sentences, those(effect -> effect.state() == EffectState.DONE), "done, and not run again");
        say(
                sentences,
                those(effect -> effect.state() == EffectState.NOT_DONE),
                "not done, and run as if for the first time");
        say(sentences, those(effect -> effect.state() == EffectState.IN_PROGRESS), "in progress in another run");
        say(
                sentences,
                those(effect -> isUnknown(effect) && !effect.windowPassed()),
                "unknown, and handled as the handler declares: retried with the same token, probed, parked or assumed"
                        + " done");
        say(
                sentences,
                those(effect -> isUnknown(effect) && effect.windowPassed()),
                "unknown, and past the provider's window: parked for a person and not run again, unless the handler"
                        + " probes, assumes or fails");
        return sentences;
    }

    private static void say(List<String> sentences, List<EffectRecord> those, String what) {
        if (!those.isEmpty()) {
            sentences.add((those.size() == 1 ? "Effect " : "Effects ") + named(those) + ": " + what + ".");
        }
    }

    private static boolean isUnknown(EffectRecord effect) {
        return effect.state() == EffectState.UNKNOWN;
    }

    private List<EffectRecord> those(Predicate<EffectRecord> which) {
        return effects.stream().filter(which).toList();
    }

    private static String named(List<EffectRecord> effects) {
        String names =
                effects.stream().limit(NAMED).map(effect -> effect.id().label()).collect(Collectors.joining(", "));
        return effects.size() <= NAMED ? names : names + " and " + (effects.size() - NAMED) + " more";
    }
}
