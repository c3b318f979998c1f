package dev.semel.storetests.simulation;

/** Something that a simulation must bring about now and then, or it tests less than it seems to. */
public enum Happening {
    /** A request never reached the store. */
    REQUEST_LOST,
    /** The store did what was asked, and its answer was lost. */
    ANSWER_LOST,
    /** A request reached the store after its sender had given it up. */
    REQUEST_LATE,
    /** A worker process died. */
    WORKER_CRASHED,
    /** A request of a dead process reached the store. */
    REQUEST_OF_THE_DEAD,
    /** A handler killed its worker process. */
    WORKER_POISONED,
    /** A worker process stood still for a while and continued. */
    WORKER_FROZEN,
    /** A worker process was closed and had nothing left. */
    WORKER_CLOSED,
    /** The store's clock jumped forwards. */
    STORE_CLOCK_JUMPED,
    /** The clock of a worker process jumped, forwards or back, or stood still. */
    WORKER_CLOCK_JUMPED,
    /** A worker was not notified that tasks are due. */
    HINT_LOST,
    /** A task went to the thief with a lease too short to be kept. */
    LEASE_STOLEN,
    /** A handler did not heed its interrupt. */
    INTERRUPT_IGNORED,

    /** A submission made a task. */
    CREATED,
    /** A submission was answered with the existing task. */
    RETURNED,
    /** A submission was answered with the existing task and a warning that its input differs. */
    RETURNED_WITH_WARNING,
    /** A submission was answered with a completed task and its result. */
    RETURNED_WITH_RESULT,
    /** A submission was answered by a record whose task's data was deleted. */
    TOMBSTONE_ANSWERED,
    /** A submission was rejected because its identity has a task. */
    REJECTED,
    /** A submission was rejected because of another input. */
    CONFLICTED,
    /** A submission that was sent before was recognised by its id. */
    REPEATED_SEND_RECOGNISED,
    /** A submission of a key with an open task was answered although the window had passed. */
    HELD_WHILE_OPEN,
    /** An identity was taken over as run 1 after its window had passed. */
    TAKEN_OVER_AFTER_EXPIRY,
    /** A new task was made under an identity whose task had ended without success. */
    RERUN_IN_LINEAGE,
    /** A new task was made under an identity and began a lineage of its own: after success, or as a replacement. */
    NEW_LINEAGE,
    /** A new task waits behind the one that it replaces. */
    WAITING_BEHIND_REPLACED,
    /** A task was submitted again under its id long after its data was swept. */
    REBORN,

    /** A task was claimed that had lost an attempt before. */
    CLAIMED_AFTER_VANISHED,
    /** A claim whose answer was lost got its own tasks back. */
    CLAIM_REPEATED,
    /** A task was completed. */
    COMPLETED,
    /** An attempt failed and another one follows. */
    RETRIED,
    /** An attempt was put back without a failure. */
    PUT_BACK,
    /** A task became a dead letter. */
    FAILED,
    /** A task became a dead letter because its last attempt ran too long. */
    TIMED_OUT,
    /** A task became a dead letter unrun, because its attempts vanish. */
    BURIED,
    /** A worker was notified with an extension that its task is to be cancelled. */
    CANCELLATION_TOLD,
    /** A handler ended because it was notified that its task is to be cancelled. */
    CANCELLATION_HEEDED,
    /** A lease was not extended because another attempt has taken over, or this one has just ended. */
    EXTENSION_REFUSED,
    /** The end of an attempt was rejected because another one has taken over. */
    STALE_REFUSED,
    /** The same, and the end was a completion. */
    ZOMBIE_COMPLETION_REFUSED,
    /** A settlement or an operation was answered as applied that had been sent before. */
    CHANGE_REPEATED,

    /** A provider did what it was asked for, and the handler got no answer. */
    PROVIDERS_ANSWER_LOST,
    /** A provider was called again with a token, and recognised it. */
    TOKEN_HONOURED,
    /** A handler was interrupted while it had an effect, or waited for the ledger of its effects. */
    EFFECT_INTERRUPTED,
    /** A provider was called a second time for one effect. */
    EFFECT_CALLED_AGAIN,
    /** A provider charged for a process that had died meanwhile. */
    CHARGED_FOR_NOBODY,
    /** The intent of an effect was recorded. */
    EFFECT_INTENDED,
    /** An effect was recorded as done by the attempt that ran it. */
    EFFECT_RECORDED,
    /** An attempt got the result of an effect without running it. */
    EFFECT_SPARED,
    /** The first attempt of a task did, because another task of its lineage had recorded it. */
    EFFECT_SPARED_IN_RERUN,
    /** An effect was recorded as not done, because it was rejected or not begun. */
    EFFECT_REFUSED,
    /** An effect was recorded as done because the provider was asked. */
    EFFECT_PROBED_AS_DONE,
    /** An effect was recorded as not done because the provider was asked. */
    EFFECT_PROBED_AS_NOT_DONE,
    /** An effect was taken for done. */
    EFFECT_ASSUMED,
    /** An intent was rejected because its attempt was over. */
    INTENT_REFUSED,
    /** An intent was rejected because the outcome was recorded meanwhile. */
    INTENT_SETTLED,
    /** An intent was rejected because the window of its provider had passed. */
    WINDOW_PASSED,
    /** An outcome was rejected because its attempt was over. */
    OUTCOME_REFUSED,
    /** A task was parked until an effect is resolved. */
    PARKED,
    /** A task was to be parked for an effect that was resolved meanwhile. */
    PARK_OVERTAKEN,
    /** An unknown effect was resolved as done. */
    RESOLVED_AS_DONE,
    /** An unknown effect was resolved as not done. */
    RESOLVED_AS_NOT_DONE,
    /** An unknown effect was given up. */
    GIVEN_UP,
    /** A resolution was rejected because the attempt of the effect still ran. */
    RESOLUTION_HELD,
    /** A resolution was rejected because it was too late. */
    RESOLUTION_STALE,

    /** An open task was cancelled at once. */
    CANCELLED_AT_ONCE,
    /** A running task was asked to cancel. */
    CANCELLATION_ASKED,
    /** The code of a workflow continued as new. */
    CONTINUED_AS_NEW,
    /** A workflow was restarted. */
    WORKFLOW_RESTARTED,
    /** A restart that was sent again was answered as the first time. */
    RESTART_REPEATED,
    /** A restart was rejected because another generation has begun. */
    RESTART_STALE,
    /** A restart was rejected because the workflow runs or has not begun. */
    RESTART_HELD,
    /** A dead letter was made pending again. */
    REDRIVEN,
    /** A redrive was rejected because a newer task holds the key. */
    REDRIVE_SUPERSEDED,
    /** A redrive of an earlier death was rejected. */
    REDRIVE_STALE,
    /** A key was released. */
    KEY_RELEASED,
    /** A key was not released because its task is open. */
    KEY_HELD,
    /** A queue was paused. */
    QUEUE_PAUSED,
    /** A paused queue was resumed. */
    QUEUE_RESUMED,
    /** A task was seen waiting for its mutex. */
    HELD_BY_MUTEX,
    /** A task of a queue with a limit was handed out. */
    STARTED_UNDER_A_LIMIT,
    /** A dead letter was forwarded to a dead-letter queue. */
    DEATH_TOLD,
    /** A task was seen whose data went with its end. */
    SEEN_BARE,
    /** A tick of a schedule was made. */
    TICK_MADE,
    /** A change of a schedule was refused, because another scheduler was faster. */
    TICK_REFUSED,
    /** A change of a schedule that was sent before was recognised. */
    TICK_REPEATED,
    /** A tick was made by a change that also cancelled the task of an earlier tick. */
    TICK_REPLACED,
    /** A sweep removed tasks. */
    TASKS_SWEPT,
    /** A sweep removed records. */
    RECORDS_SWEPT;

    /** {@return whether only workflows bring it about, which have a simulation of their own} */
    public boolean isOfWorkflows() {
        return switch (this) {
            case CONTINUED_AS_NEW, WORKFLOW_RESTARTED, RESTART_REPEATED, RESTART_STALE, RESTART_HELD -> true;
            default -> false;
        };
    }
}
