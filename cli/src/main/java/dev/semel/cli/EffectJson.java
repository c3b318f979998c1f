package dev.semel.cli;

import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution;
import org.jspecify.annotations.Nullable;

/** An effect as JSON: the same names as in the HTTP API. */
final class EffectJson {

    private EffectJson() {}

    /** Returns everything that is recorded about an effect; its token only on request. */
    static JsonText of(EffectRecord effect, boolean tokens) {
        JsonText json = new JsonText()
                .put("effect", effect.id().label())
                .put("name", effect.id().name())
                .put("index", effect.id().index())
                .put("state", effect.state().word())
                .put("task_id", effect.by().taskId().toString())
                .put("attempt", effect.by().attempt())
                .put("lineage", effect.id().lineage().toString())
                .put("intended_at", effect.intendedAt())
                .put("window_end", effect.windowEnd());
        if (effect.windowEnd() != null) {
            json.put("window_passed", effect.windowPassed());
        }
        var how = effect.how();
        return json.put("settled_at", effect.settledAt())
                .put("how", how == null ? null : how.word())
                .raw("result", effect.result())
                .put("note", effect.note())
                .raw("resolution", resolution(effect.resolution()))
                .put("token", tokens ? effect.id().token() : null);
    }

    private static @Nullable String resolution(@Nullable Resolution resolution) {
        return resolution == null
                ? null
                : new JsonText()
                        .put("verdict", resolution.verdict().word())
                        .put("by", resolution.by())
                        .put("reason", resolution.reason())
                        .toString();
    }
}
