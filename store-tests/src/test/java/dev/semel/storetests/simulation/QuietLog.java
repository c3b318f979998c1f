package dev.semel.storetests.simulation;

/** Keeps the workers' warnings out of the test's output: a simulation makes thousands, and each is meant. */
final class QuietLog {

    private static final String LEVEL = "org.slf4j.simpleLogger.log.dev.semel.engine";

    private QuietLog() {}

    /** Must be called before the first worker: a logger reads its level when it is made. */
    static void ofWorkers() {
        if (System.getProperty(LEVEL) == null) {
            System.setProperty(LEVEL, "off");
        }
    }
}
