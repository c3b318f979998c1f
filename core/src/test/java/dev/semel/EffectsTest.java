package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.EffectOperations.Resolving;
import dev.semel.engine.Handler;
import dev.semel.engine.Probe;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Task;
import dev.semel.task.EffectNotDone;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EffectsTest {

    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO))
            .build();

    private final World world = new World();
    private final Semel semel = world.semel;

    // The provider: the tokens that it was called with.
    private final List<String> calls = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private TaskId submit() {
        return semel.submit(WORK, "x").idempotencyKey("k").send().taskId();
    }

    private void start(Handler<String, String> handler) {
        semel.worker("default").name("w1").handle(WORK, handler).start();
    }

    private String charge(String token) {
        calls.add(token);
        return "receipt " + calls.size();
    }

    private EffectRecord only(TaskId id) {
        List<EffectRecord> effects = semel.effects().of(id);
        assertThat(effects).hasSize(1);
        return effects.getFirst();
    }

    @Test
    void aRecordedOutcomeIsReturnedOnALaterAttemptWithoutRunning() {
        TaskId id = submit();
        start((context, input) -> {
            String receipt = context.effect("charge", String.class, this::charge);
            if (context.attempt() == 1) {
                throw new IOException("after the effect");
            }
            return receipt;
        });
        Task done = world.awaitState(id, TaskState.COMPLETED);
        assertThat(done.progress().result()).isEqualTo("\"receipt 1\"");
        assertThat(calls).hasSize(1);
        EffectRecord effect = only(id);
        assertThat(effect.state()).isEqualTo(EffectState.DONE);
        assertThat(effect.how()).isEqualTo(How.RAN);
        assertThat(effect.result()).isEqualTo("\"receipt 1\"");
        assertThat(effect.by().attempt()).isEqualTo(1);
    }

    @Test
    void anEffectThatThrewRunsAgainWithTheSameToken() {
        TaskId id = submit();
        start((context, input) -> context.effect("charge", String.class, token -> {
            calls.add(token);
            if (calls.size() < 3) {
                throw new IOException("no answer");
            }
            return "paid";
        }));
        world.awaitState(id, TaskState.COMPLETED);
        assertThat(calls).hasSize(3).containsOnly(calls.getFirst());
    }

    @Test
    void tokensAndOutcomesOutlastARedriveAndARerun() {
        TaskId id = submit();
        AtomicInteger deaths = new AtomicInteger();
        start((context, input) -> {
            context.effect("charge", String.class, this::charge);
            if (deaths.getAndIncrement() < 2) {
                throw new PermanentFailure("dies");
            }
            return context.token("charge");
        });
        world.awaitState(id, TaskState.FAILED);
        assertThat(semel.operations().previewRedrive(id).orElseThrow().effects())
                .extracting(EffectRecord::state)
                .containsExactly(EffectState.DONE);
        semel.operations().redrive(id);
        world.awaitState(id, TaskState.FAILED);
        TaskId rerun = submit();
        assertThat(rerun).isNotEqualTo(id);
        Task done = world.awaitState(rerun, TaskState.COMPLETED);
        assertThat(calls).hasSize(1);
        assertThat(done.progress().result()).isEqualTo("\"" + calls.getFirst() + "\"");
    }

    @Test
    void theSameNameTwiceInOneAttemptIsAnErrorAndAnIndexIsNot() {
        TaskId id = submit();
        start((context, input) -> {
            for (int i = 0; i < 3; i++) {
                context.effect("mail", i, String.class, this::charge);
            }
            context.effect("charge", String.class, this::charge);
            return context.effect("charge", String.class, this::charge);
        });
        Task failed = world.awaitState(id, TaskState.FAILED);
        assertThat(failed.progress().lastError()).contains("effect \"charge\" was run before");
        assertThat(calls).hasSize(4).doesNotHaveDuplicates();
        assertThat(semel.effects().of(id))
                .extracting(effect -> effect.id().label())
                .containsExactly("charge", "mail", "mail#1", "mail#2");
    }

    @Test
    void anEffectThatIsNotDoneIsKnownAndRunsAgainWhateverThePolicy() {
        TaskId id = submit();
        start((context, input) -> context.effect("charge", String.class)
                .parkIfUnknown()
                .run(token -> {
                    calls.add(token);
                    if (calls.size() == 1) {
                        throw new EffectNotDone("refused");
                    }
                    return "paid";
                }));
        world.awaitState(id, TaskState.COMPLETED);
        assertThat(calls).hasSize(2);
    }

    @Test
    void aProbeDecidesAnUnknownOutcomeAndMayItselfFail() {
        TaskId id = submit();
        AtomicInteger probes = new AtomicInteger();
        start((context, input) -> context.effect("charge", String.class)
                .probeIfUnknown(token -> {
                    assertThat(token).isEqualTo(calls.getFirst());
                    if (probes.incrementAndGet() == 1) {
                        throw new IOException("the provider is down");
                    }
                    return Probe.Answer.done("found");
                })
                .run(token -> {
                    calls.add(token);
                    throw new IOException("no answer");
                }));
        Task done = world.awaitState(id, TaskState.COMPLETED);
        assertThat(done.progress().result()).isEqualTo("\"found\"");
        assertThat(calls).hasSize(1);
        assertThat(only(id).how()).isEqualTo(How.PROBED);
    }

    @Test
    void aProbeThatSaysNotDoneLetsTheEffectRun() {
        TaskId id = submit();
        start((context, input) -> context.effect("charge", String.class)
                .probeIfUnknown(token -> Probe.Answer.notDone())
                .run(token -> {
                    calls.add(token);
                    if (calls.size() == 1) {
                        throw new IOException("no answer");
                    }
                    return "paid";
                }));
        world.awaitState(id, TaskState.COMPLETED);
        assertThat(calls).hasSize(2);
        assertThat(only(id).by().attempt()).isEqualTo(2);
    }

    @Test
    void anOutcomeThatIsAssumedIsRecordedAndTheEffectNeverRunsTwice() {
        TaskId id = submit();
        start((context, input) -> {
            String sent = context.effect("mail", String.class)
                    .assumeDoneIfUnknown("assumed")
                    .run(token -> {
                        calls.add(token);
                        throw new IOException("no answer");
                    });
            if (context.attempt() == 2) {
                throw new IOException("later");
            }
            return sent;
        });
        assertThat(world.awaitState(id, TaskState.COMPLETED).progress().result())
                .isEqualTo("\"assumed\"");
        assertThat(calls).hasSize(1);
        assertThat(only(id).how()).isEqualTo(How.ASSUMED);
    }

    private TaskId parked() {
        TaskId id = submit();
        start((context, input) -> {
            try {
                return context.effect("charge", String.class).parkIfUnknown().run(token -> {
                    charge(token);
                    throw new IOException("no answer");
                });
            } catch (IllegalStateException e) {
                throw new AssertionError(e);
            }
        });
        Task waiting = world.awaitState(id, TaskState.WAITING);
        assertThat(waiting.progress().failures()).isEqualTo(1);
        assertThat(waiting.progress().lastError()).contains("unknown whether effect \"charge\" happened");
        return id;
    }

    @Test
    void aParkedTaskGoesOnWithTheResultThatAPersonGives() {
        TaskId id = parked();
        EffectRecord unknown =
                semel.effects().list(EffectQuery.unknown(10)).effects().getFirst();
        assertThat(unknown.id().lineage()).isEqualTo(id);
        Resolution word = new Resolution(Verdict.DONE, "\"from the bank\"", "ada", "seen in the bank's list");
        assertThat(semel.effects().resolve(unknown, word)).isEqualTo(Resolving.RESOLVED);
        assertThat(world.awaitState(id, TaskState.COMPLETED).progress().result())
                .isEqualTo("\"from the bank\"");
        assertThat(semel.effects().resolve(unknown, word)).isEqualTo(Resolving.RESOLVED);
        assertThat(semel.effects().resolve(unknown, new Resolution(Verdict.NOT_DONE, null, "bob", "no")))
                .isEqualTo(Resolving.CHANGED);
        assertThat(calls).hasSize(1);
        assertThat(only(id).resolution())
                .isEqualTo(new Resolution(Verdict.DONE, null, "ada", "seen in the bank's list"));
    }

    @Test
    void aParkedTaskThatIsGivenUpIsADeadLetterAndParksAgainWhenRedriven() {
        TaskId id = parked();
        Resolution word = new Resolution(Verdict.GIVE_UP, null, "ada", "the bank is gone");
        assertThat(semel.effects().resolve(only(id), word)).isEqualTo(Resolving.RESOLVED);
        Task dead = world.task(id);
        assertThat(dead.state()).isEqualTo(TaskState.FAILED);
        assertThat(dead.progress().lastError()).contains("Given up by ada").contains("the bank is gone");
        assertThat(only(id).state()).isEqualTo(EffectState.UNKNOWN);
        semel.operations().redrive(id);
        world.awaitState(id, TaskState.WAITING);
        assertThat(semel.effects().resolve(only(id), word)).isEqualTo(Resolving.RESOLVED);
        assertThat(world.task(id).state()).isEqualTo(TaskState.FAILED);
        assertThat(calls).hasSize(1);
    }

    @Test
    void aHandlerThatCatchesEverythingIsParkedAllTheSame() {
        TaskId id = submit();
        start((context, input) -> {
            try {
                return context.effect("charge", String.class).parkIfUnknown().run(token -> {
                    charge(token);
                    throw new IOException("no answer");
                });
            } catch (IOException e) {
                throw e;
            } catch (RuntimeException e) {
                return "went on";
            }
        });
        world.awaitState(id, TaskState.WAITING);
        assertThat(calls).hasSize(1);
    }

    @Test
    void anUnknownEffectIsNotRunAgainAfterItsProvidersWindow() {
        TaskId parked = submit();
        TaskId failed = semel.submit(WORK, "fail").send().taskId();
        start((context, input) -> {
            var call = context.effect("charge", String.class).providerWindow(Duration.ofHours(24));
            return (input.equals("fail") ? call.failAfterWindow() : call).run(token -> {
                charge(token);
                world.pass(Duration.ofHours(25));
                throw new IOException("no answer");
            });
        });
        assertThat(world.awaitState(parked, TaskState.WAITING).progress().lastError())
                .contains("window of 1d");
        assertThat(world.awaitState(failed, TaskState.FAILED).progress().lastError())
                .contains("is not run again");
        assertThat(calls).hasSize(2).doesNotHaveDuplicates();
        assertThat(only(parked).windowPassed()).isTrue();
    }

    @Test
    void threeEffectsCostThreeFurtherCallsOfTheStoreAtTheMost() {
        AtomicInteger before = new AtomicInteger();
        start((context, input) -> {
            before.set(world.settles.get());
            for (int i = 0; i < 3; i++) {
                context.effect("charge", i, String.class, this::charge);
            }
            return "done";
        });
        // An outcome waits a moment for company. On a busy machine that moment may pass before the next effect begins,
        // so one
        // of many tasks is enough.
        int least = Integer.MAX_VALUE;
        for (int tries = 0; tries < 50 && least > 4; tries++) {
            world.awaitState(semel.submit(WORK, "x").send().taskId(), TaskState.COMPLETED);
            least = Math.min(least, world.settles.get() - before.get());
        }
        assertThat(least).isLessThanOrEqualTo(4);
    }

    @Test
    void outcomesAreRecordedWithinAMomentAlsoIfTheHandlerGoesOn() {
        TaskId id = submit();
        start((context, input) -> {
            context.effect("charge", String.class, this::charge);
            while (only(id).state() != EffectState.DONE) {
                Thread.onSpinWait();
            }
            return "seen";
        });
        world.awaitState(id, TaskState.COMPLETED);
    }

    @Test
    void aLostAnswerToAnIntentRunsTheEffectOnce() {
        TaskId id = submit();
        start((context, input) -> {
            world.lose.set(1);
            return context.effect("charge", String.class, this::charge);
        });
        world.awaitState(id, TaskState.COMPLETED);
        assertThat(calls).hasSize(1);
    }

    @Test
    void anAttemptThatWasOvertakenRecordsNothing() {
        TaskId id = submit();
        AtomicInteger entered = new AtomicInteger();
        start((context, input) -> {
            if (entered.incrementAndGet() == 1) {
                world.pass(Duration.ofMinutes(1));
                while (context.attempt() == world.task(id).progress().attempt()) {
                    Thread.onSpinWait(); // the same worker claims it again, as another would
                }
            }
            return context.effect("charge", String.class, this::charge) + " by " + context.attempt();
        });
        Task done = world.awaitState(id, TaskState.COMPLETED);
        assertThat(done.progress().result()).isEqualTo("\"receipt 1 by 2\"");
        assertThat(calls).hasSize(1);
    }
}
