package dev.semel.store;

import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.Limits;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change that an operator makes to a task, a key, an effect, a queue or a schedule. It may be repeated after a lost answer. A new kind
 * does not compile until every store handles it.
 */
public sealed interface Operation {

    /**
     * Ends a task. A pending or waiting task is cancelled at once. For a running one the cancellation is requested: it stays
     * open until its worker ends the attempt or its lease expires.
     *
     * @param taskId the task
     */
    record Cancel(TaskId taskId) implements Operation {}

    /**
     * Runs a dead letter again, with a fresh budget and as the same task. It takes its key back in the same step, if the key is
     * still its own or free.
     *
     * @param taskId the task
     * @param attempt the attempt at which it died: it fences off redrives of an earlier death
     */
    record Redrive(TaskId taskId, int attempt) implements Operation {}

    /**
     * Begins a new generation of a workflow's history: the same task runs again, with the lines before a line and without those from there
     * on. It takes its key back in the same step, if the key is still its own or free. A workflow that has ended gets a fresh budget.
     *
     * @param taskId the task of the workflow
     * @param generation the generation that it replaces: it fences off restarts on older knowledge
     * @param from the first line that is not kept. The line behind the last one keeps all of them; 0 keeps none, and the local steps before
     *     the first line are run again too
     */
    record Restart(TaskId taskId, int generation, int from) implements Operation {

        /** Checks the numbers. */
        public Restart {
            if (generation < 1 || from < 0) {
                throw new IllegalArgumentException(
                        "Expected a generation from 1 on and a line from 0 on, but got " + generation + " and " + from);
            }
        }
    }

    /**
     * Frees a key, so that the next submission creates a new task.
     *
     * @param identity the key
     * @param taskId the task that the key is expected to belong to
     */
    record ReleaseKey(Identity identity, TaskId taskId) implements Operation {}

    /**
     * Deletes the data of a task that has ended, as a sweep does after its retention. Held while the task is open; not found if its
     * data is not stored, so also if it is sent again.
     *
     * @param taskId the task
     */
    record Erase(TaskId taskId) implements Operation {}

    /**
     * Resolves an effect whose outcome is unknown. A task that is parked because of it continues at once, or fails if the
     * resolution gives it up.
     *
     * @param effect the effect
     * @param left the attempt that left it unknown, or that parked because of it: it fences off decisions on older knowledge
     * @param resolution the decision, and who made it
     */
    record Resolve(EffectId effect, AttemptId left, Resolution resolution) implements Operation {

        /**
         * Returns the error of a task that is given up.
         *
         * @return who gave it up and why
         */
        public String givenUp() {
            return Limits.error("Given up by " + resolution.by() + ", because it is unknown whether effect \""
                    + effect.label() + "\" happened: " + resolution.reason());
        }
    }

    /**
     * Changes a schedule, and creates and cancels tasks in the same step. It is stale unless the schedule has the expected version.
     *
     * @param id the schedule
     * @param expected the version that is expected; null if the schedule must not exist
     * @param next the schedule from now on; null to remove it
     * @param notBefore it is stale before this time of the store; null for no such condition
     * @param create the tasks to create, decided as submissions of their own
     * @param cancel the tasks to cancel; those that have ended, or are not stored any more, stay as they are
     */
    record ChangeSchedule(
            ScheduleId id,
            @Nullable UUID expected,
            @Nullable ScheduleRecord next,
            @Nullable Instant notBefore,
            List<NewTask> create,
            List<TaskId> cancel)
            implements Operation {

        /** Copies, and checks that the record is that of the schedule. */
        public ChangeSchedule {
            create = List.copyOf(create);
            cancel = List.copyOf(cancel);
            if (next != null && !next.id().equals(id)) {
                throw new IllegalArgumentException("Expected the record of " + id + ", but got that of " + next.id());
            }
        }

        /**
         * Decides about this change. The rule is pure, and every store calls it in the step that changes the schedule.
         *
         * @param version the version that is stored, or null if the schedule is not stored
         * @param now the store's time
         * @return whether it is carried out, was carried out before, or is stale
         */
        public Verdict decide(@Nullable UUID version, Instant now) {
            if (next == null ? version == null : next.version().equals(version)) {
                return Verdict.DONE_BEFORE;
            }
            boolean early = notBefore != null && now.isBefore(notBefore);
            return Objects.equals(expected, version) && !early ? Verdict.CHANGE : Verdict.STALE;
        }

        /** What is to be done with a change. */
        public enum Verdict {
            /** It is carried out. */
            CHANGE,
            /** An earlier send of it was carried out. */
            DONE_BEFORE,
            /** Nothing: the schedule has changed since it was read, or it is too early. */
            STALE
        }
    }

    /** A change of a queue's settings. */
    sealed interface OfQueue extends Operation {

        /**
         * Returns the queue.
         *
         * @return its name
         */
        String queue();
    }

    /**
     * Declares what the code and the configuration of a program say about a queue.
     *
     * @param queue the queue
     * @param settings all declared settings: they replace what an earlier program declared
     */
    record DeclareQueue(String queue, QueueSettings settings) implements OfQueue {

        /** Checks the name. */
        public DeclareQueue {
            Limits.name("queue", queue);
        }
    }

    /**
     * Changes settings of a queue at run time. They take precedence over declared ones.
     *
     * @param queue the queue
     * @param changes the settings to change; the others stay as they were set
     */
    record SetQueue(String queue, QueueSettings changes) implements OfQueue {

        /** Checks the name. */
        public SetQueue {
            Limits.name("queue", queue);
        }
    }

    /**
     * Discards what was set at run time, a pause included: the declared settings apply again.
     *
     * @param queue the queue
     */
    record ResetQueue(String queue) implements OfQueue {

        /** Checks the name. */
        public ResetQueue {
            Limits.name("queue", queue);
        }
    }
}
