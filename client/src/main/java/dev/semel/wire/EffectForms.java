package dev.semel.wire;

import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;

/** The forms of effects. */
final class EffectForms {

    static final Form<EffectId> ID = Form.object(
            (out, id) -> out.beginObject()
                    .member("lineage", id.lineage())
                    .member("name", id.name())
                    .member("index", id.index())
                    .endObject(),
            in -> new EffectId(in.id("lineage"), in.text("name"), in.integer("index")));

    static final Form<AttemptId> ATTEMPT = Form.object(
            (out, attempt) -> out.beginObject()
                    .member("task", attempt.taskId())
                    .member("attempt", attempt.attempt())
                    .endObject(),
            in -> new AttemptId(in.id("task"), in.integer("attempt")));

    static final Form<Resolution> RESOLUTION = Form.object(
            (out, resolution) -> out.beginObject()
                    .member("verdict", resolution.verdict().word())
                    .member("result", resolution.result())
                    .member("by", resolution.by())
                    .member("reason", resolution.reason())
                    .endObject(),
            in -> new Resolution(
                    in.word("verdict", Resolution.Verdict.class),
                    in.textOrNull("result"),
                    in.text("by"),
                    in.text("reason")));

    static final Form<EffectRecord> RECORD = Form.object(
            (out, effect) -> out.beginObject()
                    .member("id", effect.id(), ID)
                    .member("by", effect.by(), ATTEMPT)
                    .member("state", effect.state().word())
                    .member("intended_at", effect.intendedAt())
                    .member("window_end", effect.windowEnd())
                    .member("window_passed", effect.windowPassed())
                    .member("settled_at", effect.settledAt())
                    .member("how", effect.how(), Form.word(EffectOutcome.How.class))
                    .member("result", effect.result())
                    .member("note", effect.note())
                    .member("resolution", effect.resolution(), RESOLUTION)
                    .endObject(),
            in -> new EffectRecord(
                    in.get("id", ID),
                    in.get("by", ATTEMPT),
                    in.word("state", EffectState.class),
                    in.time("intended_at"),
                    in.timeOrNull("window_end"),
                    in.flag("window_passed"),
                    in.timeOrNull("settled_at"),
                    in.wordOrNull("how", EffectOutcome.How.class),
                    in.textOrNull("result"),
                    in.textOrNull("note"),
                    in.getOrNull("resolution", RESOLUTION)));

    static final Form<EffectQuery> QUERY = Form.object(
            (out, query) -> out.beginObject()
                    .member("tenant", query.tenant())
                    .words("states", query.states())
                    .member("after", query.after(), ID)
                    .member("limit", query.limit())
                    .endObject(),
            in -> new EffectQuery(
                    in.textOrNull("tenant"),
                    Distinct.set(in.list("states", Form.word(EffectState.class))),
                    in.getOrNull("after", ID),
                    in.integer("limit")));

    static final Form<EffectPage> PAGE = Form.object(
            (out, page) -> out.beginObject()
                    .list("effects", page.effects(), RECORD)
                    .member("next", page.next(), ID)
                    .endObject(),
            in -> new EffectPage(in.list("effects", RECORD), in.getOrNull("next", ID)));

    private EffectForms() {}
}
