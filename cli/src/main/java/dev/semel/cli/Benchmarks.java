package dev.semel.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The measurements that {@code semel bench} runs. They are not part of the published program: a checkout of the sources
 * has an implementation on its class path, which is found by {@link ServiceLoader}.
 */
public interface Benchmarks {

    /**
     * Takes the measures that were asked for, and writes the report's files if a directory is given.
     *
     * @param request what to measure and where
     * @param progress notified of each step
     * @return the report, as JSON or as Markdown
     * @throws Exception if a sample failed
     */
    String measure(Request request, Progress progress) throws Exception;

    /**
     * What to measure and where.
     *
     * @param store the URL of the store beside which a directory or schemas of the measurement's own are created
     * @param brief whether to take small samples
     * @param only the beginnings of the names of the measures to take; empty for all
     * @param output the directory for the report's files, or null to write none
     * @param json whether the report is returned as JSON rather than as Markdown
     */
    record Request(
            String store,
            boolean brief,
            List<String> only,
            @Nullable Path output,
            boolean json) {

        /** Copies. */
        public Request {
            only = List.copyOf(only);
        }
    }

    /** Receives the progress of a measurement. */
    interface Progress {

        /**
         * Another step begins.
         *
         * @param done how many steps have ended
         * @param total how many there are
         * @param what the one that begins
         */
        void at(int done, int total, String what);
    }
}
