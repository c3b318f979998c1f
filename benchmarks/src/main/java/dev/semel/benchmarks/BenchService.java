package dev.semel.benchmarks;

import dev.semel.cli.Benchmarks;

/** Provides the benchmarks to {@code semel bench}, which looks for them on the class path. */
public final class BenchService implements Benchmarks {

    /** Needed by {@link java.util.ServiceLoader}. */
    public BenchService() {}

    @Override
    public String measure(Request request, Progress progress) throws Exception {
        BenchOptions options = new BenchOptions(request.store(), request.brief(), request.only(), request.output());
        BenchReport report = new Bench(options, progress::at).run();
        return request.json() ? report.json() : report.markdown();
    }
}
