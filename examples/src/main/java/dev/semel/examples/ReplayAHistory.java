package dev.semel.examples;

import dev.semel.testkit.WorkflowReplay;
import java.io.PrintStream;
import java.nio.file.Path;

/** The check of docs/how-to/workflows.md that code still fits a history. */
public final class ReplayAHistory {

    private ReplayAHistory() {}

    static void run(Path history, PrintStream out) {
        // snippet: check
        WorkflowReplay.Report report =
                WorkflowReplay.read(history).check(OrderWorkflow.PROCESS, OrderWorkflow::process);
        out.println(report.end() + " after line " + report.lines());
        // end
    }
}
