package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.Probe;
import dev.semel.testkit.TokenProvider.Charge;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TokenProviderTest {

    @Test
    void oneThatHonoursTokensDoesEachOnce() throws IOException {
        TokenProvider gateway = TokenProvider.honouringTokens("gateway");
        assertThat(gateway.call("a", 100)).isEqualTo("gateway-1");
        assertThat(gateway.call("a", 100)).isEqualTo("gateway-1");
        assertThat(gateway.call("b", 200)).isEqualTo("gateway-2");
        assertThat(gateway.done()).containsExactly(100, 200);
        assertThat(gateway.charges())
                .containsExactly(new Charge("a", 100, "gateway-1"), new Charge("b", 200, "gateway-2"));
        assertThat(gateway.calls("a")).isEqualTo(2);
        assertThat(gateway.calls("c")).isZero();
    }

    @Test
    void oneThatIgnoresTokensDoesEverythingThatItIsAskedFor() throws IOException {
        TokenProvider gateway = TokenProvider.ignoringTokens("gateway");
        assertThat(gateway.call("a", 100)).isEqualTo("gateway-1");
        assertThat(gateway.call("a", 100)).isEqualTo("gateway-2");
        assertThat(gateway.done()).containsExactly(100, 100);
        assertThat(gateway.receipt("a")).contains("gateway-1");
    }

    @Test
    void itsBooksAnswerAProbe() throws IOException {
        TokenProvider gateway = TokenProvider.honouringTokens("gateway");
        assertThat(gateway.probe("a")).isEqualTo(Probe.Answer.notDone());
        gateway.call("a", 100);
        assertThat(gateway.probe("a")).isEqualTo(Probe.Answer.done("gateway-1"));
    }
}
