package dev.semel.s3.objects;

/** What can happen to one request. */
public enum Fault {
    /** Nothing. */
    NONE,
    /** A PUT is answered with 409, and is not applied; another request fails with 500 before it. */
    CONFLICT,
    /** 503, not applied. */
    UNAVAILABLE,
    /** 500, not applied. */
    ERROR_BEFORE,
    /** Applied, and answered with 500. */
    ERROR_AFTER,
    /** Applied, and never answered. */
    TIMEOUT_AFTER,
    /** Never answered, and applied only after some later requests. */
    APPLIED_LATER,
    /** Something in between sends the request twice and passes on the second answer: 412 for one's own success. */
    SENT_TWICE,
    /** Takes its time, so that others overtake it. */
    SLOW,
    /** A list is answered with an earlier state. */
    STALE_LIST,
    /** The process dies before the request is sent. */
    KILLED_BEFORE,
    /** The process dies after the request was applied, before its answer. */
    KILLED_AFTER
}
