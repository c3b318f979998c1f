package dev.semel.wire;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.List;
import java.util.Map;

/** All calls of the protocol: one for each operation of a store. */
public final class Calls {

    /** What the server is. */
    public static final Call<Question.Plain, About> ABOUT = new Call<>("about", Question.Plain.FORM, About.FORM);

    /** {@link dev.semel.store.Submitting#submit}. */
    public static final BatchCall<SubmitRequest, Submitted> SUBMIT =
            new BatchCall<>("submit", SubmitForms.REQUEST, SubmitForms.ANSWER);

    /** {@link dev.semel.store.Working#claim}. */
    public static final Call<ClaimRequest, Claims> CLAIM = new Call<>("claim", ClaimForms.REQUEST, ClaimForms.ANSWER);

    /** {@link dev.semel.store.Working#settle}. */
    public static final BatchCall<Settlement, Settled> SETTLE =
            new BatchCall<>("settle", SettleForms.REQUEST, Form.word(Settled.class));

    /** {@link dev.semel.store.Operating#operate}. */
    public static final BatchCall<Operation, Operated> OPERATE =
            new BatchCall<>("operate", OperateForms.REQUEST, Form.word(Operated.class));

    /** {@link dev.semel.store.Reading#find}. */
    public static final Call<List<TaskId>, Part<Task>> FIND =
            new Call<>("find", TaskForms.ID.list(Protocol.MAX_ITEMS), Part.of(TaskForms.TASK));

    /** {@link dev.semel.store.Reading#attempts(java.util.Collection)}. */
    public static final Call<List<TaskId>, Part<OfTask<List<Attempt>>>> ATTEMPTS =
            new Call<>("attempts", TaskForms.ID.list(Protocol.MAX_ITEMS), Part.of(OfTask.of(TaskForms.ATTEMPT.list())));

    /** {@link dev.semel.store.Reading#records}. */
    public static final Call<List<Identity>, List<KeyRecord>> RECORDS =
            new Call<>("records", TaskForms.IDENTITY.list(Protocol.MAX_ITEMS), TaskForms.RECORD.list());

    /** {@link dev.semel.store.Reading#effects(java.util.Collection)}. */
    public static final Call<List<TaskId>, Part<OfTask<List<EffectRecord>>>> EFFECTS =
            new Call<>("effects", TaskForms.ID.list(Protocol.MAX_ITEMS), Part.of(OfTask.of(EffectForms.RECORD.list())));

    /** {@link dev.semel.store.Reading#histories}. */
    public static final Call<List<History.Query>, Part<OfTask<History>>> HISTORIES = new Call<>(
            "histories", ReadForms.HISTORY_QUERY.list(Protocol.MAX_ITEMS), Part.of(OfTask.of(ReadForms.HISTORY)));

    /** {@link dev.semel.store.Submitting#queues(java.util.Collection)}. */
    public static final Call<List<String>, Map<String, QueueSetUp>> QUEUES =
            new Call<>("queues", TaskForms.TEXT.list(Protocol.MAX_ITEMS), Distinct.map(OperateForms.SET_UP));

    /** {@link dev.semel.store.Reading#queues()}. */
    public static final Call<Question.Plain, Map<String, QueueSetUp>> ALL_QUEUES =
            new Call<>("all-queues", Question.Plain.FORM, Distinct.map(OperateForms.SET_UP));

    /** {@link dev.semel.store.Reading#list}. */
    public static final Call<TaskQuery, Page> LIST = new Call<>("list", ReadForms.QUERY, ReadForms.PAGE);

    /** {@link dev.semel.store.Reading#effects(dev.semel.store.EffectQuery)}. */
    public static final Call<EffectQuery, EffectPage> LIST_EFFECTS =
            new Call<>("list-effects", EffectForms.QUERY, EffectForms.PAGE);

    /** {@link dev.semel.store.Reading#schedules(java.util.Collection)}. */
    public static final Call<List<ScheduleId>, Part<ScheduleRecord>> SCHEDULES =
            new Call<>("schedules", OperateForms.SCHEDULE_ID.list(Protocol.MAX_ITEMS), Part.of(OperateForms.SCHEDULE));

    /** {@link dev.semel.store.Reading#schedules(dev.semel.store.ScheduleQuery)}. */
    public static final Call<ScheduleQuery, Slice<ScheduleRecord>> LIST_SCHEDULES =
            new Call<>("list-schedules", OperateForms.SCHEDULE_QUERY, Slice.of(OperateForms.SCHEDULE));

    /** {@link dev.semel.store.Reading#depths(String)}. */
    public static final Call<Question.Depths, Map<String, QueueDepth>> DEPTHS =
            new Call<>("depths", Question.Depths.FORM, Distinct.map(TaskForms.DEPTH));

    /** {@link dev.semel.store.Operating#dueSchedules}. */
    public static final Call<Question.Due, DueSchedules> DUE_SCHEDULES =
            new Call<>("due-schedules", Question.Due.FORM, OperateForms.DUE);

    /** {@link dev.semel.store.Operating#sweep}. */
    public static final Call<SweepRequest, Swept> SWEEP = new Call<>("sweep", OperateForms.SWEEP, OperateForms.SWEPT);

    private Calls() {}
}
