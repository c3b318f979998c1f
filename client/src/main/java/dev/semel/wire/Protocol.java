package dev.semel.wire;

/** The version of the protocol between a client and a server, and its limits. */
public final class Protocol {

    /** The version that this release speaks. It rises with every change that an older reader would misunderstand. */
    public static final int VERSION = 1;

    /** The header with the version, in requests and in answers. */
    public static final String HEADER = "Semel-Protocol";

    /** The path that precedes the name of a call. */
    public static final String PATH = "/v1/store/";

    /** The name of the stream of hints, below {@link #PATH}. */
    public static final String HINTS = "hints";

    /** The media type of requests and answers. */
    public static final String JSON = "application/json";

    /** The media type of problems. */
    public static final String PROBLEM = "application/problem+json";

    /** The media type of the stream of hints. */
    public static final String EVENTS = "text/event-stream";

    /** The maximum number of items in one request. A client sends larger batches as several requests, in order. */
    public static final int MAX_ITEMS = 1_000;

    /** The size at which a client begins another request, in bytes. One item may be larger. */
    public static final int REQUEST_BYTES = 8 << 20;

    /**
     * The maximum size of a request in bytes. It has room for the largest single item: the lines of a workflow's history
     * ({@link dev.semel.task.Limits#HISTORY_BYTES}) in which every second character needs an escape.
     */
    public static final int MAX_REQUEST_BYTES = 160 << 20;

    /** The size at which a server ends an answer that can be continued, in bytes. One item may be larger. */
    public static final int ANSWER_BYTES = 16 << 20;

    /** The maximum size of an answer that a client reads, in bytes. */
    public static final int MAX_ANSWER_BYTES = 512 << 20;

    private Protocol() {}
}
