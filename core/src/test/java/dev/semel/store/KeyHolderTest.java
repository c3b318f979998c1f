package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the release of a key. The expectations are written from the laws, not from the function. */
class KeyHolderTest {

    private static final TaskId TASK = new TaskId(new UUID(1, 2));
    private static final TaskId OTHER = new TaskId(new UUID(3, 4));
    private static final Instant END = Instant.parse("2026-01-02T03:04:05Z");

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aKeyIsReleasedOnceNoTaskOfItIsOpen(TaskState state) {
        KeyHolder holder = new KeyHolder(TASK, state, END);
        assertThat(holder.release(TASK, false)).isEqualTo(state.isOpen() ? Operated.HELD : Operated.APPLIED);
        assertThat(holder.release(TASK, true)).isEqualTo(Operated.HELD);
    }

    @ParameterizedTest
    @EnumSource(TaskState.class)
    void aKeyOfAnotherTaskIsNeverReleased(TaskState state) {
        KeyHolder holder = new KeyHolder(OTHER, state, END);
        assertThat(holder.release(TASK, false)).isEqualTo(Operated.SUPERSEDED);
        assertThat(holder.release(TASK, true)).isEqualTo(Operated.SUPERSEDED);
    }

    @Test
    void aKeyThatIsFreeWasReleasedBeforeIfItWasTheTasksOwn() {
        assertThat(KeyHolder.releaseFree(true)).isEqualTo(Operated.APPLIED);
        assertThat(KeyHolder.releaseFree(false)).isEqualTo(Operated.NOT_FOUND);
    }

    @Test
    void aWindowHasPassedFromItsEndOn() {
        KeyHolder holder = new KeyHolder(TASK, TaskState.COMPLETED, END);
        assertThat(holder.windowPassed(END.minusMillis(1))).isFalse();
        assertThat(holder.windowPassed(END)).isTrue();
    }
}
