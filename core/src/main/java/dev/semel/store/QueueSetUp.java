package dev.semel.store;

/**
 * The settings of a queue as a store keeps them, in two layers.
 *
 * @param declared the settings in code and configuration; each program that starts with settings for the queue replaces it
 * @param set the settings made at run time, which take precedence, setting by setting
 */
public record QueueSetUp(QueueSettings declared, QueueSettings set) {

    /** A queue without settings. */
    public static final QueueSetUp NONE = new QueueSetUp(QueueSettings.NONE, QueueSettings.NONE);

    /**
     * Returns the effective settings.
     *
     * @return both layers combined
     */
    public QueueSettings effective() {
        return set.or(declared);
    }
}
