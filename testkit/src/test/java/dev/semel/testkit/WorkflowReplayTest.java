package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.store.HistoryLine;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.NonDeterministic;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkflowReplayTest {

    private static final TaskType<String, String> CHARGE = TaskType.of("charge", String.class, String.class);
    private static final TaskType<String, String> PACK = TaskType.of("pack", String.class, String.class);
    private static final WorkflowType<String, String> ORDER = WorkflowType.of("order", String.class, String.class);

    private static final String HEAD = """
        {"type":"order","id":"order-7","task_id":"0190a7c0-0000-7000-8000-000000000000",
         "lineage":"0190a7c0-0000-7000-8000-000000000000","tenant":"default","queue":"default",
         "state":"%s","created_at":"2026-01-27T12:00:00Z","read_at":"2026-01-27T13:00:00Z",
         "input_gone":false,"input":"7",
         "effects":[{"effect":"mail","name":"mail","index":0,"state":"done",
                     "intended_at":"2026-01-27T12:00:02Z","result":"mailed"}],
         "lines":[
          {"number":1,"kind":"step","name":"charge","task_id":"0190a7c0-0000-7000-8000-000000000001",
           "at":"2026-01-27T12:00:00Z"},
          {"number":2,"kind":"timer","name":"approved","at":"2026-01-27T12:00:02Z",
           "value":"2026-02-03T12:00:02Z"}%s],
         "inbox":[
          {"number":1,"name":"charge","task_id":"0190a7c0-0000-7000-8000-000000000001","state":"completed",
           "at":"2026-01-27T12:00:01Z","value":"paid"}%s]}
        """;
    private static final String SIGNAL =
            ",{\"number\":2,\"name\":\"approved\",\"key\":\"k\",\"at\":\"2026-01-27T12:30:00Z\",\"value\":true}";
    private static final String PACKED =
            ",{\"number\":3,\"name\":\"pack\",\"task_id\":\"0190a7c0-0000-7000-8000-000000000002\",\"state\":\"completed\","
                    + "\"at\":\"2026-01-27T12:31:00Z\",\"value\":\"packed\"}";
    private static final String PACK_LINE =
            ",{\"number\":3,\"kind\":\"step\",\"name\":\"pack\",\"task_id\":\"0190a7c0-0000-7000-8000-000000000002\","
                    + "\"at\":\"2026-01-27T12:30:00Z\"}";

    private static final WorkflowReplay WAITING = WorkflowReplay.of(HEAD.formatted("pending", "", ""));
    private static final WorkflowReplay SIGNALLED = WorkflowReplay.of(HEAD.formatted("pending", "", SIGNAL));
    private static final WorkflowReplay COMPLETED =
            WorkflowReplay.of(HEAD.formatted("completed", PACK_LINE, SIGNAL + PACKED));

    private final AtomicInteger mails = new AtomicInteger();

    private String code(Flow flow, String order) {
        String paid = flow.run(CHARGE, order);
        String mailed = flow.local("mail", String.class, token -> {
            mails.incrementAndGet();
            return "sent again";
        });
        boolean approved =
                flow.signal("approved", Boolean.class, Duration.ofDays(7)).orElse(false);
        return paid + ", " + mailed + ", " + (approved ? flow.run(PACK, order) : "refused");
    }

    @Test
    void codeThatFitsComesToTheSameEnd() {
        WorkflowReplay.Report report = COMPLETED.check(ORDER, this::code);
        assertThat(report.end()).isEqualTo(WorkflowReplay.End.COMPLETED);
        assertThat(report.result()).isEqualTo("\"paid, mailed, packed\"");
        assertThat(report.lines()).isEqualTo(3);
        assertThat(mails).as("local steps that ran").hasValue(0);
    }

    @Test
    void anOpenWorkflowWaitsOrContinuesWhereItsHistoryEnds() {
        assertThat(WAITING.check(ORDER, this::code).end()).isEqualTo(WorkflowReplay.End.WAITS);
        assertThat(SIGNALLED.check(ORDER, this::code).end()).isEqualTo(WorkflowReplay.End.CONTINUES);
    }

    @Test
    void aNewLocalStepBeyondTheHistoryDoesNotRun() {
        WorkflowReplay.Report report = WAITING.check(ORDER, (flow, order) -> {
            flow.run(CHARGE, order);
            return flow.local("receipt", String.class, token -> {
                mails.incrementAndGet();
                return "printed";
            });
        });
        assertThat(report.end()).isEqualTo(WorkflowReplay.End.CONTINUES);
        assertThat(mails).hasValue(0);
    }

    private static NonDeterministic differs(WorkflowReplay replay, WorkflowHandler<String, String> code) {
        return catchThrowableOfType(NonDeterministic.class, () -> replay.check(ORDER, code));
    }

    @Test
    void anotherStepIsReportedWithLineHistoryCodeAndPlace() {
        NonDeterministic found = differs(COMPLETED, (flow, order) -> flow.run(PACK, order));
        assertThat(found.line()).isEqualTo(1);
        assertThat(found.recorded()).map(HistoryLine::name).contains("charge");
        assertThat(found)
                .hasMessageContaining("line 1")
                .hasMessageContaining("the history has step \"charge\"")
                .hasMessageContaining("the code asked for step \"pack\"")
                .hasMessageContaining("(WorkflowReplayTest.java:");
    }

    @Test
    void aDifferenceThatTheCodeSwallowsIsReported() {
        NonDeterministic found = differs(COMPLETED, (flow, order) -> {
            flow.run(CHARGE, order);
            try {
                return flow.run(PACK, order);
            } catch (RuntimeException e) {
                return "swallowed";
            }
        });
        assertThat(found.line()).isEqualTo(2);
        assertThat(found.recorded()).map(HistoryLine::name).contains("approved");
    }

    @Test
    void codeThatEndsBeforeItsHistoryIsReported() {
        NonDeterministic found = differs(COMPLETED, (flow, order) -> flow.run(CHARGE, order));
        assertThat(found.line()).isEqualTo(2);
        assertThat(found).hasMessageContaining("has ended");
    }

    @Test
    void codeThatGoesOnAfterACompletedHistoryIsReported() {
        NonDeterministic found = differs(COMPLETED, (flow, order) -> code(flow, order) + flow.run(CHARGE, "once more"));
        assertThat(found.line()).isEqualTo(4);
        assertThat(found.recorded()).isEmpty();
        assertThat(found).hasMessageContaining("the code asked for step \"charge\"");
        assertThat(differs(COMPLETED, (flow, order) -> code(flow, order) + flow.signal("more", String.class)))
                .hasMessageContaining("the code waits");
        assertThat(differs(COMPLETED, (flow, order) -> {
                    code(flow, order);
                    throw new IllegalStateException("no more");
                }))
                .hasMessageContaining("failed: ")
                .hasMessageContaining("no more");
    }

    @Test
    void anExceptionOfOpenCodeIsAnEndAndNoDifference() {
        WorkflowReplay.Report report = WAITING.check(ORDER, (flow, order) -> {
            throw new IllegalStateException("broken");
        });
        assertThat(report.end()).isEqualTo(WorkflowReplay.End.FAILED);
        assertThat(report.error()).contains("broken");
    }

    @Test
    void whatIsNoHistoryIsRejected() {
        assertThatThrownBy(() -> WorkflowReplay.of("{}"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("semel workflow history");
        assertThatThrownBy(() -> WorkflowReplay.of("no json")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> WorkflowReplay.of(
                        HEAD.formatted("pending", "", "").replace("\"input_gone\":false", "\"input_gone\":true")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("no longer stored");
        WorkflowType<String, String> other = WorkflowType.of("other", String.class, String.class);
        assertThatThrownBy(() -> WAITING.check(other, this::code))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"order\"");
    }
}
