package dev.semel.wire;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Page;
import dev.semel.store.TaskQuery;
import dev.semel.task.TaskState;

/** The forms of queries, pages and histories. */
final class ReadForms {

    static final Form<TaskQuery> QUERY = Form.object(
            (out, query) -> out.beginObject()
                    .member("tenant", query.tenant())
                    .member("queue", query.queue())
                    .member("type", query.type())
                    .words("states", query.states())
                    .member("identity", query.identity(), TaskForms.IDENTITY)
                    .member("parent", query.parent())
                    .member("workflows", query.workflows())
                    .member("tag", query.tag())
                    .member("before", query.before())
                    .member("limit", query.limit())
                    .endObject(),
            in -> new TaskQuery(
                    in.textOrNull("tenant"),
                    in.textOrNull("queue"),
                    in.textOrNull("type"),
                    Distinct.set(in.list("states", Form.word(TaskState.class))),
                    in.getOrNull("identity", TaskForms.IDENTITY),
                    in.idOrNull("parent"),
                    in.flag("workflows"),
                    in.textOrNull("tag"),
                    in.idOrNull("before"),
                    in.integer("limit")));

    static final Form<Page> PAGE = Form.object(
            (out, page) -> out.beginObject()
                    .list("tasks", page.tasks(), TaskForms.TASK)
                    .member("next", page.next())
                    .endObject(),
            in -> new Page(in.list("tasks", TaskForms.TASK), in.idOrNull("next")));

    static final Form<History.Query> HISTORY_QUERY = Form.object(
            (out, query) -> out.beginObject()
                    .member("workflow", query.workflow())
                    .member("lines", query.lines())
                    .member("inbox", query.inbox())
                    .endObject(),
            in -> new History.Query(in.id("workflow"), in.integer("lines"), in.integer("inbox")));

    private static final Form<HistoryLine> LINE = Form.object(
            (out, line) -> out.beginObject()
                    .member("number", line.number())
                    .member("line_kind", line.kind().word())
                    .member("name", line.name())
                    .member("task", line.task())
                    .member("document", line.document())
                    .member("at", line.at())
                    .endObject(),
            in -> new HistoryLine(
                    in.integer("number"),
                    in.word("line_kind", HistoryLine.Kind.class),
                    in.text("name"),
                    in.idOrNull("task"),
                    in.textOrNull("document"),
                    in.time("at")));

    private static final Form<InboxEntry> ENTRY = Form.object(
            (out, entry) -> out.beginObject()
                    .member("number", entry.number())
                    .member("name", entry.name())
                    .member("step", entry.step())
                    .member("state", entry.state(), Form.word(TaskState.class))
                    .member("key", entry.key())
                    .member("document", entry.document())
                    .member("error", entry.error())
                    .member("at", entry.at())
                    .endObject(),
            in -> new InboxEntry(
                    in.integer("number"),
                    in.text("name"),
                    in.idOrNull("step"),
                    in.wordOrNull("state", TaskState.class),
                    in.textOrNull("key"),
                    in.textOrNull("document"),
                    in.textOrNull("error"),
                    in.time("at")));

    static final Form<History> HISTORY = Form.object(
            (out, history) -> out.beginObject()
                    .list("lines", history.lines(), LINE)
                    .list("inbox", history.inbox(), ENTRY)
                    .member("now", history.now())
                    .endObject(),
            in -> new History(in.list("lines", LINE), in.list("inbox", ENTRY), in.time("now")));

    private ReadForms() {}
}
