package dev.semel.storetests.simulation;

/** What must be true whatever happens. */
public enum Invariant {
    /** One task id for each identity in its window; a repeated send is recognised; other input is a conflict. */
    I1("one task id per identity in its window"),
    /** An accepted task is never lost, and there is no task that was not submitted. */
    I2("an accepted task is never lost"),
    /** A task is completed once, and what has ended stays as it ended. */
    I3("completed exactly once"),
    /** Only the newest attempt writes, and attempts strictly rise. */
    I4("only the newest attempt can write; attempts strictly rise"),
    /** An effect whose outcome is recorded never runs again in its lineage, and its task returns what is recorded. */
    I5("a recorded effect is not repeated, and its result is the recorded one"),
    /** Every read of a task's result returns the same. */
    I6("a duplicate gets the stored result, the same for all"),
    /** After the faults have stopped, everything that is open ends within a bound. */
    I7("after the faults stop the backlog drains within a bound"),
    /** The store fits together, and nothing throws what it must not. */
    I8("the store's own structure is sound"),
    /** No attempt runs an effect whose intent is not recorded under the newest attempt, and an intent is not lost. */
    INTENTS("an effect runs only after its intent is durable"),
    /** An effect whose outcome is unknown is called again only as its policy allows, and is not charged twice. */
    UNKNOWN("an unknown effect is called again only as its policy allows"),
    /** An effect whose outcome is unknown is not intended again once its provider's window has passed. */
    WINDOWS("no unknown effect is intended again after its window"),
    /** A lineage has one token for each name, and no two lineages have the same. */
    TOKENS("one token per lineage and name"),
    /** A worker has at most one task with a vanished attempt at a time, so that a poison task buries no others. */
    SUSPECTS("a worker takes one task with a vanished attempt at first, and twice as many after each that ended"),
    /** Of the tasks of one mutex never two run. */
    MUTEX("of the tasks of one mutex never two run"),
    /** A queue gives nothing while it is paused, and no more than its rate limit and its concurrency allow. */
    LIMITS("no queue gives more than its pause and its limits allow"),
    /** Where a queue has a dead-letter queue, each death makes one task there, and nothing else does. */
    LETTERS("each dead letter is forwarded once"),
    /** With a retention of zero, the data of a task is deleted with its end; everywhere else it stays. */
    DATA("data is deleted with the end where nothing is kept, and stays elsewhere"),
    /** Each tick of a schedule is made at most once, and its position never falls. */
    TICKS("each tick is made at most once, and the position of a schedule never falls"),
    /**
     * A workflow ends with the result that it has without faults; its history and its inbox have no gaps, each step has one line and
     * one task, and each end of a step and each signal is in the inbox once.
     */
    FLOWS("a workflow ends with the result that it has without faults, and each step, end and signal counts once"),
    /** A worker that reported that it is closed holds no task. */
    CLOSING("a closed worker holds nothing");

    private final String law;

    Invariant(String law) {
        this.law = law;
    }

    /**
     * What it demands.
     *
     * @return one line
     */
    public String law() {
        return law;
    }
}
