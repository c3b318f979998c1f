package dev.semel.workflow;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;

/** The versions of parts of a workflow's code, as {@link Flow#version} records them in its history. */
public final class CodeVersions {

    private static final String PREFIX = "$version.";

    private CodeVersions() {}

    /** Returns the name of the line that records the version of a part. */
    static String line(String part) {
        return PREFIX + part;
    }

    /**
     * Returns the version that a workflow has recorded.
     *
     * @param history the history of the workflow
     * @param part the name of the part
     * @return the version; 0 if it has recorded none, because it went past the part before that had versions, or has not come to it yet
     */
    public static int recorded(History history, String part) {
        String name = line(part);
        return history.lines().stream()
                .filter(line ->
                        line.kind() == HistoryLine.Kind.VALUE && line.name().equals(name))
                .map(HistoryLine::document)
                .findFirst()
                .map(Integer::valueOf)
                .orElse(0);
    }
}
