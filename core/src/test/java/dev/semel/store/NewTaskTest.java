package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.NewTask.KeyRequest;
import dev.semel.store.NewTask.Start;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NewTaskTest {

    private static final Instant NOW = Instant.parse("2026-01-27T12:00:00Z");

    @Test
    void aTaskAndItsKeyBelongToOneTenant() {
        Identity identity = Identity.of("other", Scope.type(), "q", "t", "k");
        KeyRequest key =
                new KeyRequest(identity, InputHash.ofBytes(new byte[32]), Duration.ofDays(1), ReusePolicy.never());
        assertThatThrownBy(() -> new NewTask(
                        TaskId.parse("01890a5d-ac96-774b-bcce-b302099a8057"),
                        "default",
                        "q",
                        "t",
                        "{}",
                        Start.now(),
                        TaskOptions.NONE,
                        key))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"other\"");
    }

    @Test
    void aStartIsNeverBeforeNowAndNeverBeyondTheCalendar() {
        assertThat(new Start.At(NOW.minusSeconds(5)).dueAt(NOW)).isEqualTo(NOW);
        assertThat(new Start.At(NOW.plusSeconds(5)).dueAt(NOW)).isEqualTo(NOW.plusSeconds(5));
        assertThat(new Start.After(Duration.ofSeconds(7)).dueAt(NOW)).isEqualTo(NOW.plusSeconds(7));
        assertThatThrownBy(() -> new Start.At(Instant.MAX)).isInstanceOf(InvalidInput.class);
    }
}
