package dev.semel.workflow;

/** What happens to a child workflow that is open when the code of its parent ends, is cancelled or continues as new. */
public enum ChildPolicy {
    /**
     * The child is cancelled and may clean up, and the parent ends after it: when the parent has ended, so has the child. This is the default. A child
     * that the parent has not created, or that another workflow waits for, goes on.
     */
    CANCEL,
    /** The child goes on by itself. */
    ABANDON,
    /** The child goes on, and the parent ends after it. */
    WAIT
}
