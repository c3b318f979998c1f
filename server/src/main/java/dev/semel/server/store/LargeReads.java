package dev.semel.server.store;

import dev.semel.store.Attempt;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.Page;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import dev.semel.wire.OfTask;
import dev.semel.wire.Part;
import dev.semel.wire.Protocol;
import dev.semel.wire.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Reads whose answers may be large: they look up a few things at a time, and end at a size. */
final class LargeReads {

    // At two documents of a mebibyte each, the memory that one step of a request may need is 64 MiB.
    private static final int AT_ONCE = 32;
    // A history may have 64 MiB by itself.
    private static final int HISTORIES_AT_ONCE = 1;
    // What a row needs beside its documents.
    private static final long ROW = 500;

    private LargeReads() {}

    static Part<Task> find(TaskStore store, List<TaskId> ids) {
        return parts(ids, AT_ONCE, some -> List.copyOf(store.find(some).values()), LargeReads::bytes);
    }

    static Part<OfTask<List<Attempt>>> attempts(TaskStore store, List<TaskId> ids) {
        return parts(
                ids,
                AT_ONCE,
                some -> ofTasks(store.attempts(some)),
                of -> bytes(of.value(), attempt -> ROW + length(attempt.error())));
    }

    static Part<OfTask<List<EffectRecord>>> effects(TaskStore store, List<TaskId> lineages) {
        return parts(
                lineages, AT_ONCE, some -> ofTasks(store.effects(some)), of -> bytes(of.value(), LargeReads::bytes));
    }

    static Part<OfTask<History>> histories(TaskStore store, List<History.Query> queries) {
        return parts(
                queries,
                HISTORIES_AT_ONCE,
                some -> ofTasks(store.histories(some)),
                of -> bytes(of.value().lines(), line -> ROW + length(line.document()))
                        + bytes(of.value().inbox(), entry -> ROW + length(entry.document()) + length(entry.error())));
    }

    static Part<ScheduleRecord> schedules(TaskStore store, List<ScheduleId> ids) {
        return parts(ids, AT_ONCE, some -> List.copyOf(store.schedules(some).values()), LargeReads::bytes);
    }

    static Page list(TaskStore store, TaskQuery query) {
        List<Task> tasks = new ArrayList<>();
        TaskQuery rest = query;
        long bytes = 0;
        while (true) {
            Page page = store.list(limited(rest, Math.min(AT_ONCE, query.limit() - tasks.size())));
            tasks.addAll(page.tasks());
            bytes += bytes(page.tasks(), LargeReads::bytes);
            TaskId next = page.next();
            // An empty page with a continuation ends here as well: the store has looked at enough for one request.
            if (next == null
                    || page.tasks().isEmpty()
                    || tasks.size() >= query.limit()
                    || bytes >= Protocol.ANSWER_BYTES) {
                return new Page(tasks, next);
            }
            rest = query.after(next);
        }
    }

    private static TaskQuery limited(TaskQuery query, int limit) {
        return query.with(query.states(), query.before(), limit);
    }

    static EffectPage listEffects(TaskStore store, EffectQuery query) {
        List<EffectRecord> effects = new ArrayList<>();
        EffectQuery rest = query;
        long bytes = 0;
        while (true) {
            int limit = Math.min(AT_ONCE, query.limit() - effects.size());
            EffectPage page = store.effects(new EffectQuery(rest.tenant(), rest.states(), rest.after(), limit));
            effects.addAll(page.effects());
            bytes += bytes(page.effects(), LargeReads::bytes);
            if (page.next() == null
                    || page.effects().isEmpty()
                    || effects.size() >= query.limit()
                    || bytes >= Protocol.ANSWER_BYTES) {
                return new EffectPage(effects, page.next());
            }
            rest = query.after(page.next());
        }
    }

    static Slice<ScheduleRecord> listSchedules(TaskStore store, ScheduleQuery query) {
        List<ScheduleRecord> schedules = new ArrayList<>();
        ScheduleQuery rest = query;
        long bytes = 0;
        while (true) {
            int limit = Math.min(AT_ONCE, query.limit() - schedules.size());
            List<ScheduleRecord> page = store.schedules(new ScheduleQuery(rest.tenant(), rest.after(), limit));
            schedules.addAll(page);
            bytes += bytes(page, LargeReads::bytes);
            if (page.size() < limit || schedules.size() >= query.limit()) {
                return new Slice<>(schedules, false);
            }
            if (bytes >= Protocol.ANSWER_BYTES) {
                return new Slice<>(schedules, true);
            }
            rest = new ScheduleQuery(query.tenant(), page.getLast().id(), query.limit());
        }
    }

    private static <Q, T> Part<T> parts(
            List<Q> wanted, int atOnce, Function<List<Q>, List<T>> look, ToLongFunction<T> size) {
        List<T> found = new ArrayList<>();
        int answered = 0;
        long bytes = 0;
        while (answered < wanted.size() && bytes < Protocol.ANSWER_BYTES) {
            List<Q> some = wanted.subList(answered, Math.min(wanted.size(), answered + atOnce));
            List<T> values = look.apply(some);
            found.addAll(values);
            bytes += bytes(values, size);
            answered += some.size();
        }
        return new Part<>(answered, found);
    }

    private static <T> List<OfTask<T>> ofTasks(Map<TaskId, T> found) {
        List<OfTask<T>> list = new ArrayList<>(found.size());
        found.forEach((id, value) -> list.add(new OfTask<>(id, value)));
        return list;
    }

    private static <T> long bytes(List<T> values, ToLongFunction<T> size) {
        return values.stream().mapToLong(size).sum();
    }

    private static long bytes(Task task) {
        return ROW
                + length(task.input())
                + length(task.progress().result())
                + length(task.progress().lastError());
    }

    private static long bytes(EffectRecord effect) {
        return ROW + length(effect.result()) + length(effect.note());
    }

    private static long bytes(ScheduleRecord schedule) {
        return ROW + length(schedule.document());
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
