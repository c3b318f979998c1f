package dev.semel.spring;

/** Thrown at start if the application's handlers, guarded methods or settings do not fit together. */
public final class SetUpFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What to do. */
    private final String action;

    /**
     * Creates the exception.
     *
     * @param description what is wrong, with the value in quotes
     * @param action what to do
     */
    public SetUpFailure(String description, String action) {
        super(description + " " + action);
        this.action = action;
    }

    /** {@return what is wrong, without what to do} */
    public String description() {
        String message = String.valueOf(getMessage());
        return message.substring(0, message.length() - action.length() - 1);
    }

    /** {@return what to do} */
    public String action() {
        return action;
    }
}
