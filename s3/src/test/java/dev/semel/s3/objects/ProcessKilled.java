package dev.semel.s3.objects;

/** Thrown to the caller of a request at which its process was planned to die. Nothing may catch it and go on. */
public final class ProcessKilled extends Error {

    private static final long serialVersionUID = 1L;

    ProcessKilled(String at) {
        super("The process was killed " + at);
    }
}
