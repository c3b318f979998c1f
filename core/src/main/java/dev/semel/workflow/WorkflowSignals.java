package dev.semel.workflow;

import dev.semel.store.StoredFlow;

/** The signals that Semel itself sends to workflows. Their names cannot be given by users. */
public final class WorkflowSignals {

    /** The beginning of keys that users cannot give. */
    public static final String RESERVED = StoredFlow.RESERVED_KEYS;

    /** The name of the signal that requests the cancellation. */
    public static final String CANCEL = StoredFlow.CANCEL;

    /** The key of the signal that requests the cancellation: it is requested once. */
    public static final String CANCEL_KEY = StoredFlow.CANCEL_KEY;

    /** The name of the signal that only wakes. */
    public static final String RESUME = "$resume";

    /** The beginning of the names of signals that ask a question. The rest is the name of the question. */
    public static final String ASK = "$ask:";

    private WorkflowSignals() {}
}
