package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.task.AttemptId;
import dev.semel.task.TaskId;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a task and the effects of its lineage as one timeline: each effect is drawn below the last attempt
 * that worked on it.
 */
final class Timeline {

    /** The maximum number of effects that are drawn below one attempt; only done effects are left out. */
    static final int SHOWN = 50;

    // A longer name gets a separate line, so that it does not push the columns of all others to the right.
    private static final int WIDEST_NAME = 24;

    private static final String GAP = "  ";
    private static final int NARROWEST = 20;
    private static final String[] HEADS = {"ATTEMPT", "STARTED", "TOOK", "OUTCOME", "WORKER"};

    private final TaskHistory history;
    private final boolean tokens;
    private final PrintStream out;
    private final int width;
    private final boolean colors;
    private final Map<AttemptId, List<EffectRecord>> byAttempt = new LinkedHashMap<>();
    private final int nameWidth;
    private final int stateWidth;

    Timeline(TaskHistory history, boolean tokens, Console console) {
        this.history = history;
        this.tokens = tokens;
        this.out = console.out();
        this.width = console.width();
        this.colors = console.hasColors();
        history.effects()
                .forEach(effect -> byAttempt
                        .computeIfAbsent(effect.by(), by -> new ArrayList<>())
                        .add(effect));
        List<EffectRecord> all = byAttempt.values().stream()
                .flatMap(effects -> shown(effects).stream())
                .toList();
        this.nameWidth = all.stream()
                .mapToInt(effect -> effect.id().label().length())
                .filter(length -> length <= WIDEST_NAME)
                .max()
                .orElse(0);
        this.stateWidth =
                all.stream().mapToInt(effect -> state(effect).length()).max().orElse(0);
    }

    void print() {
        boolean first = printOthers(false, true);
        if (!history.attempts().isEmpty()) {
            separate(first);
            printAttempts();
            first = false;
        }
        printOthers(true, first);
    }

    private void separate(boolean first) {
        if (!first) {
            out.println();
        }
    }

    // ---- attempts

    private void printAttempts() {
        List<String[]> rows = new ArrayList<>();
        rows.add(HEADS);
        for (Attempt attempt : history.attempts()) {
            String outcome = TaskJson.outcome(attempt);
            Instant ended = attempt.endedAt();
            rows.add(new String[] {
                Integer.toString(attempt.number()),
                Text.time(attempt.startedAt()),
                ended == null ? "-" : Text.span(Duration.between(attempt.startedAt(), ended)),
                outcome == null ? "running" : outcome,
                attempt.worker()
            });
        }
        int[] widths = new int[HEADS.length];
        rows.forEach(row -> {
            for (int i = 0; i < widths.length - 1; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        });
        printRow(HEADS, widths, false);
        int lastError = lastError();
        for (int i = 0; i < history.attempts().size(); i++) {
            Attempt attempt = history.attempts().get(i);
            printRow(rows.get(i + 1), widths, colors);
            List<EffectRecord> effects =
                    byAttempt.getOrDefault(new AttemptId(history.task().id(), attempt.number()), List.of());
            String error = attempt.error();
            if (error != null) {
                String margin = (effects.isEmpty() ? " " : "│") + " ".repeat(widths[0] + GAP.length() - 1);
                printError(error, margin, i == lastError);
            }
            printEffects(effects, attempt.startedAt(), error);
        }
    }

    /** Returns the index of the newest attempt with an error, whose error is printed whole; -1 if there is none. */
    private int lastError() {
        for (int i = history.attempts().size() - 1; i >= 0; i--) {
            if (history.attempts().get(i).error() != null) {
                return i;
            }
        }
        return -1;
    }

    private void printError(String error, String margin, boolean whole) {
        int room = room(margin.length());
        if (!whole) {
            out.println(margin + Text.cut(Text.firstLine(error), room));
            return;
        }
        error.lines()
                .filter(line -> !line.isBlank())
                .flatMap(line -> Text.wrapped(Text.printable(line.replace("\t", "    ")), room).stream())
                .forEach(line -> out.println(margin + line));
    }

    private void printRow(String[] row, int[] widths, boolean painted) {
        StringBuilder line = new StringBuilder();
        int length = 0;
        for (int i = 0; i < row.length - 1; i++) {
            line.append(Colors.painted(row[i], painted))
                    .append(" ".repeat(widths[i] - row[i].length()))
                    .append(GAP);
            length += widths[i] + GAP.length();
        }
        out.println(line + Text.cut(Text.printable(row[row.length - 1]), room(length)));
    }

    // ---- other runs of the lineage

    /** Prints what other runs did before this one, or after it. Returns whether nothing has been printed yet. */
    private boolean printOthers(boolean later, boolean first) {
        boolean nothing = first;
        for (Map.Entry<AttemptId, List<EffectRecord>> entry : byAttempt.entrySet()) {
            AttemptId by = entry.getKey();
            if (!by.taskId().equals(history.task().id()) && isLater(by.taskId()) == later) {
                separate(nothing);
                printOther(by, entry.getValue());
                nothing = false;
            }
        }
        return nothing;
    }

    private void printOther(AttemptId by, List<EffectRecord> effects) {
        Task other = history.others().get(by.taskId());
        boolean known = other != null || by.taskId().equals(history.task().lineage());
        String which = isLater(by.taskId()) ? "a later run" : known ? "an earlier run" : "another run";
        out.println("By " + which + (other == null ? "" : " (" + other.run() + ")") + ", attempt " + by.attempt()
                + " of task " + by.taskId());
        printEffects(effects, effects.getFirst().intendedAt(), null);
    }

    private boolean isLater(TaskId id) {
        Task other = history.others().get(id);
        return other != null && other.run() > history.task().run();
    }

    // ---- effects

    private void printEffects(List<EffectRecord> effects, Instant beside, @Nullable String known) {
        List<EffectRecord> shown = shown(effects);
        int left = effects.size() - shown.size();
        for (int i = 0; i < shown.size(); i++) {
            boolean last = i == shown.size() - 1 && left == 0;
            EffectRecord effect = shown.get(i);
            String label = effect.id().label();
            String branch = last ? "└─ " : "├─ ";
            String trunk = last ? "   " : "│  ";
            if (label.length() > WIDEST_NAME) {
                out.println(branch + label);
                branch = trunk;
                label = "";
            }
            String state = state(effect);
            String margin = trunk + " ".repeat(nameWidth + stateWidth + 2 * GAP.length());
            String begin = branch
                    + label
                    + " ".repeat(nameWidth - label.length())
                    + GAP
                    + Colors.painted(state, colors)
                    + " ".repeat(stateWidth - state.length())
                    + GAP;
            for (String line : details(effect, beside, known, room(margin.length()))) {
                out.println(begin + line);
                begin = margin;
            }
        }
        if (left > 0) {
            out.println("└─ and " + Text.count(left, "more effect") + ", done; --json shows all");
        }
    }

    /** Returns the effects that are not done, and as many others as fit, in their order. */
    private static List<EffectRecord> shown(List<EffectRecord> effects) {
        long open = effects.stream()
                .filter(effect -> effect.state() != EffectState.DONE)
                .count();
        long room = Math.max(0, SHOWN - open);
        List<EffectRecord> shown = new ArrayList<>();
        for (EffectRecord effect : effects) {
            boolean done = effect.state() == EffectState.DONE;
            if (!done || room > 0) {
                shown.add(effect);
                room -= done ? 1 : 0;
            }
        }
        return shown;
    }

    static String state(EffectRecord effect) {
        return Text.words(effect.state().word());
    }

    private List<String> details(EffectRecord effect, Instant beside, @Nullable String known, int room) {
        List<String> pieces = new ArrayList<>();
        Instant settled = effect.settledAt();
        String intended = "intended " + Text.timeBeside(beside, effect.intendedAt());
        if (settled == null) {
            pieces.add(intended);
        } else {
            pieces.add(intended + ", settled " + Text.timeBeside(beside, settled) + ", " + how(effect));
        }
        Instant end = effect.windowEnd();
        if (end != null) {
            pieces.add("provider's window until " + Text.time(end) + (effect.windowPassed() ? ", passed" : ""));
        }
        String note = effect.note();
        // A note that repeats the attempt's error is left out.
        if (note != null && !note.equals(known)) {
            pieces.add(Text.firstLine(note));
        }
        Resolution resolution = effect.resolution();
        if (resolution != null) {
            pieces.add(said(effect, resolution));
        }
        String result = effect.result();
        List<String> lines = new ArrayList<>();
        pieces.forEach(piece -> lines.addAll(Text.wrapped(piece, room)));
        if (result != null) {
            lines.add(Text.cut("result " + Text.printable(result), room));
        }
        if (tokens) {
            lines.add("token " + effect.id().token());
        }
        return lines;
    }

    private static String how(EffectRecord effect) {
        EffectOutcome.How how = effect.how();
        return how == null
                ? "unknown how"
                : switch (how) {
                    case RAN -> effect.state() == EffectState.DONE ? "it ran" : "reported";
                    case PROBED -> "probed";
                    case ASSUMED -> "assumed";
                    case RESOLVED -> "by a person";
                };
    }

    /** Describes a person's resolution, current or from before the effect was intended again. */
    private static String said(EffectRecord effect, Resolution resolution) {
        String words = switch (resolution.verdict()) {
            case DONE -> "resolved as done by ";
            case NOT_DONE -> "resolved as not done by ";
            case GIVE_UP -> "given up by ";
        };
        boolean before =
                resolution.verdict() != Resolution.Verdict.GIVE_UP && effect.how() != EffectOutcome.How.RESOLVED;
        return (before ? "before that " : "") + words + Text.printable(resolution.by()) + ": "
                + Text.firstLine(resolution.reason());
    }

    private int room(int margin) {
        return Math.max(NARROWEST, width == Console.UNLIMITED ? Console.UNLIMITED : width - margin);
    }
}
