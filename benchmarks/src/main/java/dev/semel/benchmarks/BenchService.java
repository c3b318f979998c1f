package dev.semel.benchmarks;

import dev.semel.cli.Benchmarks;

/** The implementation of {@code semel bench}, which is found on the class path. */
public final class BenchService implements Benchmarks {

    /** Called by {@link java.util.ServiceLoader}. */
    public BenchService() {}

    @Override
    public String measure(Request request, Progress progress) throws Exception {
        BenchOptions options = new BenchOptions(request.store(), request.brief(), request.only(), request.output());
        BenchReport report = Bench.report(options, progress::at);
        return request.json() ? report.json() : report.markdown();
    }
}
