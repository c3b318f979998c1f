package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.engine.Handler;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class HandlerTrialTest {

    private static final TaskType<String, String> CHARGE = TaskType.of("charge", String.class, String.class);

    @BeforeAll
    static void quiet() {
        System.setProperty("org.slf4j.simpleLogger.log.dev.semel.engine", "off");
    }

    private static HandlerTrial<String, String> trial(HandlerTrial.Setting<String, String> setting) {
        return HandlerTrial.of(CHARGE, "ORD-1", setting);
    }

    /** Returns the message of a failed trial. */
    private static String failure(HandlerTrial<String, String> trial) {
        try {
            trial.check();
        } catch (AssertionError e) {
            return String.valueOf(e.getMessage());
        }
        throw new AssertionError("The trial should have failed");
    }

    private static Handler<String, String> effect(TokenProvider gateway) {
        return (context, order) -> context.effect("charge", String.class, token -> gateway.call(token, order));
    }

    @Test
    void anEffectWithATokenSurvivesEverything() {
        HandlerTrial.Report report =
                trial(run -> effect(run.provider("gateway"))).check();
        assertThat(report.result()).isEqualTo("\"gateway-1\"");
        assertThat(report.observed()).containsEntry("gateway", List.of("ORD-1"));
        assertThat(report.runs()).isEqualTo(report.disturbances().size() + 1).isGreaterThan(30);
    }

    @Test
    void everyMomentOfAnEffectIsDisturbed() {
        List<String> tried =
                trial(run -> effect(run.provider("gateway"))).check().disturbances();
        String intent = "w1 intends effect \"charge\" (attempt 1)";
        String outcome = "w1 records effect \"charge\" as done with \"gateway-1\" (attempt 1);"
                + " completes the task with \"gateway-1\" (attempt 1)";
        String[] moments = {
            "after \"store answers w1 with the task, attempt 1\" and before \"handler begins attempt 1\"",
            "after \"handler begins attempt 1\" and before \"" + intent + "\"",
            "after \"store answers w1 with applied\" and before \"gateway is called for ORD-1",
            "and before \"gateway performs ORD-1, receipt gateway-1\"",
            "after \"gateway performs ORD-1, receipt gateway-1\" and before \"handler returns from attempt 1\"",
            "after \"handler returns from attempt 1\" and before \"" + outcome + "\""
        };
        for (String moment : moments) {
            for (String what : List.of("the worker crashes", "the worker freezes")) {
                assertThat(tried).anyMatch(words -> words.startsWith(what) && words.contains(moment));
            }
        }
        assertThat(tried)
                .contains(
                        "the request is lost when the worker asks for tasks",
                        "the answer is lost when the worker asks for tasks",
                        "the request is lost when the worker intends effect \"charge\" (attempt 1)",
                        "the answer is lost when the worker intends effect \"charge\" (attempt 1)",
                        "\"gateway\" is called for ORD-1, and does not answer");
    }

    @Test
    void severalEffectsAndALoopSurviveEverything() {
        HandlerTrial.Report report = trial(run -> {
                    TokenProvider gateway = run.provider("gateway");
                    TokenProvider mail = run.provider("mail");
                    return (context, order) -> {
                        String receipt = context.effect("charge", String.class, token -> gateway.call(token, order));
                        for (int i = 0; i < 3; i++) {
                            String to = "mail " + i;
                            context.effect("mail", i, String.class, token -> mail.call(token, to));
                        }
                        return receipt;
                    };
                })
                .check();
        assertThat(report.observed())
                .containsEntry("gateway", List.of("ORD-1"))
                .containsEntry("mail", List.of("mail 0", "mail 1", "mail 2"));
    }

    @Test
    void aCallWithoutAnEffectIsDetectedAndReported() {
        String said = failure(trial(run -> {
            TokenProvider gateway = run.provider("gateway");
            return (context, order) -> gateway.call("attempt-" + context.attempt(), order);
        }));
        assertThat(said)
                .startsWith(
                        "The handler of \"charge\" does not survive this disturbance: the worker crashes after \"gateway performs"
                                + " ORD-1, receipt gateway-1\" and before \"handler returns from attempt 1\".")
                .contains("\"gateway\" is [ORD-1, ORD-1], but without a disturbance it is [ORD-1].")
                .contains("The task's result is \"gateway-2\", but without a disturbance it is \"gateway-1\".")
                .containsSubsequence(
                        "handler    begins attempt 1",
                        "gateway    performs ORD-1, receipt gateway-1",
                        "w1         CRASHES",
                        "w2         starts",
                        "handler    begins attempt 2",
                        "gateway    performs ORD-1, receipt gateway-2",
                        "w2         completes the task with \"gateway-2\" (attempt 2)")
                .contains(" disturbances. It also does not survive:\n");
    }

    @Test
    void twoAttemptsAtOnceAndAStaleCompletionAreTried() {
        String said = failure(trial(run -> {
                    TokenProvider gateway = run.provider("gateway");
                    return (context, order) -> gateway.call("attempt-" + context.attempt(), order);
                })
                .disturbedBy(Disturbance.FREEZE));
        assertThat(said)
                .containsSubsequence(
                        "w1         FREEZES",
                        "store      answers w2 with the task, attempt 2",
                        "w1         continues",
                        "w1         completes the task with",
                        "answers w1 with stale");
    }

    @Test
    void aRepeatedCallToAProviderThatIgnoresTokensIsFoundOut() {
        assertThat(failure(trial(run -> effect(run.providerWithoutTokens("gateway")))))
                .contains("\"gateway\" is [ORD-1, ORD-1]")
                .contains("store      answers w2 with \"charge\" unknown");
    }

    @Test
    void aPersonWhoLooksIntoTheBooksMakesUpForAProviderThatIgnoresTokens() {
        HandlerTrial.Report report = trial(run -> {
                    TokenProvider gateway = run.providerWithoutTokens("gateway");
                    return (context, order) -> context.effect("charge", String.class)
                            .parkIfUnknown()
                            .run(token -> gateway.call(token, order));
                })
                .check();
        assertThat(report.runs()).isGreaterThan(30);
    }

    @Test
    void aProbeMakesUpForAProviderThatIgnoresTokensUnlessAnEarlierAttemptIsStillAtIt() {
        HandlerTrial.Setting<String, String> probing = run -> {
            TokenProvider gateway = run.providerWithoutTokens("gateway");
            return (context, order) -> context.effect("charge", String.class)
                    .probeIfUnknown(gateway::probe)
                    .run(token -> gateway.call(token, order));
        };
        trial(probing)
                .disturbedBy(Disturbance.CRASH, Disturbance.LOST_ANSWER, Disturbance.SILENT_PROVIDER)
                .check();
        assertThat(failure(trial(probing).disturbedBy(Disturbance.FREEZE)))
                .contains("is asked about token", "nothing was done");
    }

    @Test
    void anAssumedEffectMayBeLostAndIsNeverDoubled() {
        HandlerTrial.Setting<String, String> assuming = run -> {
            TokenProvider mail = run.providerWithoutTokens("mail");
            return (context, order) -> context.effect("mail", String.class)
                    .assumeDoneIfUnknown("assumed")
                    .run(token -> mail.call(token, order));
        };
        trial(assuming).mayLose("mail").resultMayDiffer().check();
        assertThat(failure(trial(assuming).resultMayDiffer()))
                .contains("\"mail\" is [], but without a disturbance it is [ORD-1].");
        assertThat(failure(trial(assuming).mayLose("mail")))
                .contains("The task's result is \"assumed\", but without a disturbance it is \"mail-1\".");
        assertThat(failure(trial(assuming).mayLose("letters")))
                .contains("\"letters\"")
                .contains("[mail]");
    }

    @Test
    void whatUsersObserveThemselvesIsCompared() {
        assertThat(failure(trial(run -> {
                    List<String> rows = new ArrayList<>();
                    run.observe("rows", () -> rows);
                    return (context, order) -> {
                        rows.add(order);
                        return "written";
                    };
                })))
                .contains("\"rows\" is [ORD-1, ORD-1], but without a disturbance it is [ORD-1].");
        trial(run -> {
                    List<String> rows = new ArrayList<>();
                    run.observe("rows", () -> rows);
                    return (context, order) -> {
                        if (!rows.contains(order)) {
                            rows.add(order);
                        }
                        return "written";
                    };
                })
                .check();
    }

    @Test
    void twoThingsOfOneNameAreNotObserved() {
        assertThatThrownBy(() -> trial(run -> {
                            run.provider("gateway");
                            return effect(run.provider("gateway"));
                        })
                        .check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"gateway\" is used twice");
    }

    @Test
    void momentsOfTheHandlersOwnAreDisturbedToo() {
        HandlerTrial.Setting<String, String> moving = run -> {
            AtomicInteger mine = new AtomicInteger(10);
            AtomicInteger yours = new AtomicInteger(0);
            run.observe("all", () -> mine.get() + yours.get());
            return (context, order) -> {
                if (yours.get() == 0) {
                    mine.set(9);
                    run.moment("one is taken and not given");
                    yours.set(10 - mine.get());
                }
                return "moved";
            };
        };
        trial(moving).check();
        HandlerTrial.Setting<String, String> wrong = run -> {
            AtomicInteger mine = new AtomicInteger(10);
            AtomicInteger yours = new AtomicInteger(0);
            run.observe("all", () -> mine.get() + yours.get());
            return (context, order) -> {
                if (mine.get() == 10) {
                    mine.set(9);
                    run.moment("one is taken and not given");
                    yours.set(1);
                }
                return "moved";
            };
        };
        assertThat(failure(trial(wrong).disturbedBy(Disturbance.CRASH)))
                .contains("after \"handler one is taken and not given\"")
                .contains("\"all\" is 9, but without a disturbance it is 10.");
    }

    @Test
    void snoozesAndRetriesTakeVirtualTimeOnly() {
        TaskType<String, String> slow = TaskType.builder("slow", String.class, String.class)
                .retry(RetryPolicy.delays(Duration.ofHours(5), Duration.ofHours(5), Duration.ofHours(5)))
                .build();
        HandlerTrial.Report report = HandlerTrial.of(slow, "ORD-1", run -> {
                    TokenProvider gateway = run.provider("gateway");
                    AtomicInteger calls = new AtomicInteger();
                    return (context, order) -> {
                        String receipt = context.effect("charge", String.class, token -> gateway.call(token, order));
                        if (calls.incrementAndGet() == 1) {
                            throw context.snooze(Duration.ofDays(1));
                        }
                        if (context.failures() == 0) {
                            throw new IOException("not yet");
                        }
                        return receipt;
                    };
                })
                .check();
        assertThat(report.observed()).containsEntry("gateway", List.of("ORD-1"));
    }

    @Test
    void whatACrashedHandlerDoesAtItsEndDoesNotHappen() {
        trial(run -> {
                    TokenProvider gateway = run.provider("gateway");
                    List<String> undone = new ArrayList<>();
                    run.observe("undone", () -> undone);
                    return (context, order) -> {
                        try {
                            return context.effect("charge", String.class, token -> gateway.call(token, order));
                        } catch (Throwable e) {
                            undone.add(order);
                            throw e;
                        }
                    };
                })
                .disturbedBy(Disturbance.CRASH)
                .check();
    }

    @Test
    void aTaskThatDoesNotCompleteUndisturbedFailsTheTrial() {
        assertThat(failure(trial(run -> (context, order) -> {
                    throw new PermanentFailure("there is no such order");
                })))
                .contains("does not complete its task even without a disturbance: The task ended as failed")
                .contains("there is no such order")
                .contains("handler    leaves attempt 1 with");
    }

    @Test
    void aParkedTaskWithoutAResolutionFailsTheTrial() {
        HandlerTrial.Setting<String, String> parking = run -> {
            TokenProvider gateway = TokenProvider.ignoringTokens("gateway");
            run.observe("gateway", gateway::done);
            return (context, order) ->
                    context.effect("charge", String.class).parkIfUnknown().run(token -> gateway.call(token, order));
        };
        assertThat(failure(trial(parking)))
                .contains("The task is waiting, and it waits for a person, and no person resolves its effect.");
        HandlerTrial.Setting<String, String> resolved = run -> {
            run.person(effect -> new Resolution(Verdict.NOT_DONE, null, "ada", "the gateway was down"));
            return parking.handler(run);
        };
        trial(resolved).disturbedBy(Disturbance.LOST_ANSWER).check();
        assertThat(failure(trial(resolved).disturbedBy(Disturbance.CRASH)))
                .contains("person     resolves effect \"charge\" as not_done", "\"gateway\" is [ORD-1, ORD-1]");
    }

    @Test
    void aHandlerThatIsNotDeterministicIsReported() {
        AtomicInteger runs = new AtomicInteger();
        assertThat(failure(trial(run -> {
                            TokenProvider gateway = run.provider("gateway");
                            boolean first = runs.incrementAndGet() == 1;
                            return (context, order) -> {
                                for (int i = 0; first && i < 3; i++) {
                                    context.effect("look", i, String.class, token -> "seen");
                                }
                                return context.effect("charge", String.class, token -> gateway.call(token, order));
                            };
                        })
                        .disturbedBy(Disturbance.CRASH)))
                .contains("The disturbance did not happen");
    }

    @Test
    void theHandlerSeesTheKeyOfItsTask() {
        assertThat(trial(run -> (context, order) -> context.key().orElse("none"))
                        .check()
                        .result())
                .isEqualTo("\"none\"");
        assertThat(trial(run -> (context, order) -> context.key().orElse("none"))
                        .idempotencyKey("order-1")
                        .check()
                        .result())
                .isEqualTo("\"order-1\"");
        TaskType<String, String> keyed = TaskType.builder("keyed", String.class, String.class)
                .identity(IdentityStrategy.strict())
                .build();
        assertThat(HandlerTrial.of(
                                keyed,
                                "ORD-1",
                                run -> (context, order) -> context.key().orElse("none"))
                        .check()
                        .result())
                .isNotEqualTo("\"none\"");
    }

    @Test
    void aTrialIsTheSameEveryTime() {
        HandlerTrial.Setting<String, String> naive = run -> {
            TokenProvider gateway = run.providerWithoutTokens("gateway");
            return (context, order) -> gateway.call(context.token("gateway"), order);
        };
        assertThat(failure(trial(naive))).isEqualTo(failure(trial(naive)));
    }

    @Test
    void aTrialNeedsNoTestFramework() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry ->
                        !entry.contains("junit") && !entry.contains("assertj") && !entry.contains("opentest4j"))
                .collect(Collectors.joining(File.pathSeparator));
        Process other = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-cp",
                        classPath,
                        Alone.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(other.waitFor()).isZero();
        assertThat(said).contains("the task's result is \"gateway-1\"").contains("does not survive");
    }

    /** The program of another process, which has no test framework. */
    static final class Alone {

        private Alone() {}

        public static void main(String[] arguments) {
            HandlerTrial.Setting<String, String> fixed = run -> {
                TokenProvider gateway = run.provider("gateway");
                return (context, order) -> context.effect("charge", String.class, token -> gateway.call(token, order));
            };
            System.out.println(HandlerTrial.of(TaskType.of("charge", String.class, String.class), "ORD-1", fixed)
                    .check());
            HandlerTrial.Setting<String, String> naive = run -> {
                TokenProvider gateway = run.providerWithoutTokens("gateway");
                return (context, order) -> gateway.call("none", order);
            };
            try {
                HandlerTrial.of(TaskType.of("charge", String.class, String.class), "ORD-1", naive)
                        .check();
            } catch (AssertionError e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void aHandlerThatWaitsOnAnotherThreadIsReported() {
        assertThat(failure(trial(run -> (context, order) -> {
                    AtomicInteger refused = new AtomicInteger();
                    Thread other = new Thread(() -> {
                        try {
                            context.effect("charge", String.class, token -> "paid");
                        } catch (IllegalStateException e) {
                            refused.incrementAndGet();
                        }
                    });
                    other.start();
                    other.join();
                    throw new PermanentFailure("refused: " + refused);
                })))
                .contains("refused: 1");
    }
}
