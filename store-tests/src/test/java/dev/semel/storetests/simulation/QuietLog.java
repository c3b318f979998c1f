package dev.semel.storetests.simulation;

import java.util.List;

/** Keeps the workers' warnings out of the test's output: a simulation makes thousands, and each is meant. */
final class QuietLog {

    private static final List<String> LEVELS = List.of(
            "org.slf4j.simpleLogger.log.dev.semel.engine",
            "org.slf4j.simpleLogger.log.dev.semel.handler",
            "org.slf4j.simpleLogger.log.dev.semel.workflow");

    private QuietLog() {}

    /** Must be called before the first worker: a logger reads its level when it is made. */
    static void ofWorkers() {
        for (String level : LEVELS) {
            if (System.getProperty(level) == null) {
                System.setProperty(level, "off");
            }
        }
    }
}
