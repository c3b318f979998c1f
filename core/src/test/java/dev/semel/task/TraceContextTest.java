package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void theIdsAreParts() {
        TraceContext context = new TraceContext(PARENT, "a=b");
        assertThat(context.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(context.spanId()).isEqualTo("b7ad6b7169203331");
        assertThat(context.isSampled()).isTrue();
        assertThat(new TraceContext(PARENT.replace("-01", "-00"), null).isSampled())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
                "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
                "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333/-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0:",
                "00-0af7651916cd43dd8448eb211c80319\u00b1-b7ad6b7169203331-01"
            })
    void anotherFormIsRefused(String parent) {
        assertThatThrownBy(() -> new TraceContext(parent, null)).isInstanceOf(InvalidInput.class);
        assertThat(TraceContext.read(parent, null)).isEmpty();
    }

    @Test
    void aStateThatIsTooLongIsDropped() {
        assertThat(TraceContext.read(PARENT, "a=" + "b".repeat(511))).contains(new TraceContext(PARENT, null));
        assertThat(TraceContext.read(PARENT, "")).contains(new TraceContext(PARENT, null));
        assertThat(TraceContext.read(PARENT, "a=\n")).contains(new TraceContext(PARENT, null));
        assertThat(TraceContext.read(PARENT, "a=b")).contains(new TraceContext(PARENT, "a=b"));
        assertThatThrownBy(() -> new TraceContext(PARENT, "a=" + "b".repeat(511)))
                .isInstanceOf(InvalidInput.class);
    }

    @Test
    void anErrorCarriesIt() {
        TraceContext context = new TraceContext(PARENT, "a=b");
        assertThat(TraceContext.of(context.addedTo("broken"))).contains(new TraceContext(PARENT, null));
        assertThat(TraceContext.of(Limits.error(context.addedTo("x".repeat(9_000)))))
                .contains(new TraceContext(PARENT, null));
        assertThat(TraceContext.of("broken")).isEmpty();
        assertThat(TraceContext.of("\ntrace: nonsense")).isEmpty();
        assertThat(TraceContext.of(null)).isEmpty();
    }
}
