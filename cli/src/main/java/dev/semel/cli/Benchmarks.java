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
     * Takes the requested measures, and writes the report's files if a directory is given.
     *
     * @param request what to measure and where
     * @param progress receives each step as it starts
     * @return the report, as JSON or as Markdown
     * @throws Exception if a sample failed
     */
    String measure(Request request, Progress progress) throws Exception;

    /**
     * The selection of measures and the place to take them.
     *
     * @param store the URL of the store next to which the benchmarks create their own directory or schemas
     * @param brief whether to take small samples
     * @param only prefixes of the names of the measures to take; empty for all
     * @param output the directory for the report's files, or null to write none
     * @param json whether the report is returned as JSON rather than as Markdown
     */
    record Request(
            String store,
            boolean brief,
            List<String> only,
            @Nullable Path output,
            boolean json) {

        /** Copies the list. */
        public Request {
            only = List.copyOf(only);
        }
    }

    /** Receives the progress of a measurement. */
    interface Progress {

        /**
         * Reports that a step starts.
         *
         * @param done number of finished steps
         * @param total number of all steps
         * @param what name of the step that starts
         */
        void at(int done, int total, String what);
    }
}
