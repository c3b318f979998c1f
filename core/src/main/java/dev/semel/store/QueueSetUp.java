package dev.semel.store;

/**
 * The settings of a queue as a store keeps them, in two layers.
 *
 * @param declared what code and configuration say; each program that starts with settings for the queue replaces it
 * @param set what was set at run time; it wins, setting by setting
 */
public record QueueSetUp(QueueSettings declared, QueueSettings set) {

    /** A queue of which nothing was said. */
    public static final QueueSetUp NONE = new QueueSetUp(QueueSettings.NONE, QueueSettings.NONE);

    /**
     * What holds.
     *
     * @return both layers together
     */
    public QueueSettings effective() {
        return set.or(declared);
    }
}
