package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.TaskType;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkflowTrialTest {

    private static final TaskType<String, String> CHARGE = TaskType.of("charge", String.class, String.class);
    private static final TaskType<String, String> PACK = TaskType.of("pack", String.class, String.class);
    private static final WorkflowType<String, String> ORDER = WorkflowType.of("order", String.class, String.class);

    @Test
    void aWorkflowSurvivesEveryDisturbanceOfItsStepsWaitsAndSignals() {
        HandlerTrial.Report report = HandlerTrial.ofWorkflow(ORDER, "7", run -> {
                    TokenProvider gateway = run.provider("gateway");
                    run.step(
                            CHARGE,
                            (context, order) ->
                                    context.effect("charge", String.class, token -> gateway.call(token, order)));
                    run.step(PACK, (context, order) -> "packed " + order);
                    run.signal(Duration.ofMinutes(5), "approved", "true");
                    return (flow, order) -> {
                        String paid = flow.run(CHARGE, order);
                        Step<String> first = flow.start(PACK, order + "a");
                        Step<String> second = flow.start(PACK, order + "b");
                        flow.all(first, second);
                        boolean approved = flow.signal("approved", Boolean.class, Duration.ofHours(1))
                                .orElse(false);
                        String local = flow.local("mail", String.class, token -> gateway.call(token, "mail"));
                        return (paid.isEmpty() || local.isEmpty() ? "lost" : "")
                                + first.result()
                                + second.result()
                                + approved;
                    };
                })
                .check();
        assertThat(report.result()).isEqualTo("\"packed 7apacked 7btrue\"");
        assertThat(report.runs()).isGreaterThan(50);
    }

    @Test
    void thirtyDaysOfSleepTakeNoTime() {
        HandlerTrial.Report report = HandlerTrial.ofWorkflow(ORDER, "7", run -> (flow, order) -> {
                    Duration before = Duration.between(flow.now(), flow.now());
                    flow.sleep(Duration.ofDays(30));
                    return before.isZero() ? "awake" : "odd";
                })
                .disturbedBy(Disturbance.LOST_ANSWER)
                .check();
        assertThat(report.result()).isEqualTo("\"awake\"");
    }
}
