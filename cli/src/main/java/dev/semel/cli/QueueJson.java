package dev.semel.cli;

import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.task.Durations;
import dev.semel.task.RateLimit;
import dev.semel.task.ReusePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The settings of a queue, as JSON and as text. */
final class QueueJson {

    private QueueJson() {}

    /** Adds the effective settings, and where they come from. */
    static JsonText setUp(JsonText json, QueueSetUp setUp) {
        QueueSettings effective = setUp.effective();
        return json.put("paused", effective.isPaused())
                .raw("settings", settings(effective).toString())
                .raw("set", settings(setUp.set()).toString())
                .raw("declared", settings(setUp.declared()).toString());
    }

    private static JsonText settings(QueueSettings settings) {
        JsonText json = new JsonText();
        Boolean paused = settings.paused();
        if (paused != null) {
            json.put("paused", paused);
        }
        Integer concurrency = settings.concurrency();
        json.put("rate_limit", text(settings.rateLimit(), RateLimit::text));
        if (concurrency != null) {
            json.put("concurrency", concurrency);
        }
        return json.put("retention", text(settings.retention(), Durations::text))
                .put("idempotency_ttl", text(settings.idempotencyTtl(), Durations::text))
                .put("reuse", text(settings.reuse(), ReusePolicy::text))
                .put("dead_letter_queue", settings.deadLetterQueue());
    }

    /** Returns the settings in one line; an asterisk marks those set at run time. */
    static String text(QueueSetUp setUp) {
        List<String> words = new ArrayList<>();
        QueueSettings set = setUp.set();
        QueueSettings all = setUp.effective();
        if (all.isPaused()) {
            words.add("paused" + mark(set.paused()));
        }
        RateLimit limit = all.rateLimit();
        if (limit != null) {
            words.add((limit.starts() == 0 ? "no rate limit" : limit.text()) + mark(set.rateLimit()));
        }
        Integer concurrency = all.concurrency();
        if (concurrency != null) {
            words.add((concurrency == 0 ? "no concurrency limit" : "at most " + concurrency + " at once")
                    + mark(set.concurrency()));
        }
        Duration retention = all.retention();
        if (retention != null) {
            words.add("retention " + Durations.text(retention) + mark(set.retention()));
        }
        Duration ttl = all.idempotencyTtl();
        if (ttl != null) {
            words.add("ttl " + Durations.text(ttl) + mark(set.idempotencyTtl()));
        }
        ReusePolicy reuse = all.reuse();
        if (reuse != null) {
            words.add("reuse " + reuse.text() + mark(set.reuse()));
        }
        String dead = all.deadLetterQueue();
        if (dead != null) {
            words.add((dead.isEmpty() ? "no dead-letter queue" : "dead letters to " + dead)
                    + mark(set.deadLetterQueue()));
        }
        return String.join(", ", words);
    }

    private static String mark(@Nullable Object set) {
        return set == null ? "" : "*";
    }

    private static <T> @Nullable String text(@Nullable T value, Function<T, String> writer) {
        return value == null ? null : writer.apply(value);
    }
}
