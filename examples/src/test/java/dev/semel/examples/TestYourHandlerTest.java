package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The page about testing handlers shows the real output of a trial. */
class TestYourHandlerTest {

    private static String printed() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            TestYourHandler.run(out);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theNaiveHandlerFailsAndTheFixedOnesPass() {
        assertThat(printed())
                .startsWith(
                        "The handler of \"charge_order\" does not survive this disturbance: the worker crashes after"
                                + " \"gateway performs ORD-1, receipt gateway-1\" and before \"handler returns from attempt 1\".\n")
                .contains("\"gateway\" is [ORD-1, ORD-1], but without a disturbance it is [ORD-1].")
                .contains("runs the task's result is \"gateway-1\", and the observed values are {gateway=[ORD-1]}.")
                .endsWith("""
                        a person resolves what a bank without tokens leaves unknown
                        so does a probe, except for a frozen worker that continues
                        an assumed mail may be lost and is not sent twice
                        a sale is written once
                        """);
    }

    @Test
    void whatThePageShowsIsWhatTheTrialOfTheNaiveHandlerSays() throws IOException {
        Page page = Repository.pages().stream()
                .filter(any -> any.name().equals("docs/how-to/test-your-handler.md"))
                .findFirst()
                .orElseThrow();
        String shown = page.blocks().stream()
                .filter(block -> block.language().equals("text"))
                .map(block -> String.join("\n", block.text()))
                .findFirst()
                .orElseThrow();
        assertThat(printed()).startsWith(shown);
    }
}
