package dev.semel.task;

/** Thrown when there is no schedule with this name. */
public final class ScheduleNotFound extends SemelException {

    private static final long serialVersionUID = 1L;

    /** The name of the schedule. */
    private final String schedule;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param schedule the name
     */
    public ScheduleNotFound(String message, String schedule) {
        super(message);
        this.schedule = schedule;
    }

    /** {@return the name} */
    public String schedule() {
        return schedule;
    }
}
