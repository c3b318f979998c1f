package dev.semel.workflow;

/** The place in a user's code that called the operation of a workflow. */
final class CodePlace {

    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String OWN = Flow.class.getPackageName() + ".";

    private CodePlace() {}

    /** Returns the place for a message, with a blank in front; empty if the code has ended and only Semel is on the stack. */
    static String text() {
        // Its own classes are below the user's code too, at the call of the code.
        return WALKER.walk(frames -> frames.dropWhile(frame -> isOwn(frame.getClassName()))
                .findFirst()
                .filter(frame -> !frame.getClassName().startsWith("dev.semel.engine."))
                .map(frame -> " at " + frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName()
                        + ":" + frame.getLineNumber() + ")")
                .orElse(""));
    }

    // Classes of this package and their members; a user's package may begin with the same words.
    private static boolean isOwn(String name) {
        return name.startsWith(OWN) && name.indexOf('.', OWN.length()) < 0;
    }
}
