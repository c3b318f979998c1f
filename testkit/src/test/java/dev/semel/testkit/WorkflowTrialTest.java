package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.TaskType;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    void aWorkflowThatContinuesAsNewSurvivesEveryDisturbanceAndLosesNoSignal() {
        HandlerTrial.Report report = HandlerTrial.ofWorkflow(ORDER, "", run -> {
                    TokenProvider gateway = run.provider("gateway");
                    run.step(
                            CHARGE,
                            (context, order) ->
                                    context.effect("charge", String.class, token -> gateway.call(token, order)));
                    run.signal(Duration.ZERO, "more", "1");
                    run.signal(Duration.ZERO, "more", "2");
                    run.signal(Duration.ofMinutes(5), "more", "3");
                    return (flow, heard) -> {
                        String paid = flow.run(CHARGE, "after " + heard);
                        String next = heard + flow.signal("more", Integer.class) + (paid.isEmpty() ? "lost" : "");
                        return next.length() < 3 ? flow.continueAsNew(next) : next;
                    };
                })
                .check();
        assertThat(report.result()).isEqualTo("\"123\"");
        assertThat(report.runs()).isGreaterThan(30);
    }

    @Test
    void thirtyDaysOfSleepTakeNoTime() {
        List<TrialRun> runs = new ArrayList<>();
        HandlerTrial.Report report = HandlerTrial.ofWorkflow(ORDER, "7", run -> {
                    runs.add(run);
                    return (flow, order) -> {
                        Duration before = Duration.between(flow.now(), flow.now());
                        flow.sleep(Duration.ofDays(30));
                        return before.isZero() ? "awake" : "odd";
                    };
                })
                .check();
        assertThat(report.result()).isEqualTo("\"awake\"");
        // It was 260,000 events when the heartbeat of a worker went on without a task.
        assertThat(runs)
                .hasSize(report.runs())
                .allSatisfy(run -> assertThat(run.events()).isLessThan(200));
    }

    @Test
    void aPersonResolvesALocalStepWhileTheRestGoesOn() {
        HandlerTrial.Report report = HandlerTrial.ofWorkflow(ORDER, "7", run -> {
                    TokenProvider gateway = run.providerWithoutTokens("gateway");
                    run.step(PACK, (context, order) -> "packed " + order);
                    run.signal(Duration.ofMinutes(5), "approved", "true");
                    return (flow, order) -> {
                        Step<String> charge = flow.local("charge", String.class)
                                .parkIfUnknown()
                                .start(token -> gateway.call(token, order));
                        String packed = flow.run(PACK, order);
                        boolean approved = flow.signal("approved", Boolean.class);
                        flow.sleep(Duration.ofMinutes(1));
                        flow.all(charge, flow.start(PACK, "bill"));
                        return packed + approved + charge.result().isEmpty();
                    };
                })
                .check();
        assertThat(report.result()).isEqualTo("\"packed 7truefalse\"");
        assertThat(report.runs()).isGreaterThan(50);
    }
}
