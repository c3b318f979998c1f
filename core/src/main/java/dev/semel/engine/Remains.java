package dev.semel.engine;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Transition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a failed worker leaves: moves that the store has not answered, and a claim that it may have carried out. */
final class Remains {

    private final List<Transition> moves;
    private final @Nullable ClaimRequest claim;
    private int given;

    Remains(List<Transition> moves, @Nullable ClaimRequest claim) {
        this.moves = moves;
        this.claim = claim;
    }

    /** The claim to repeat: the tasks that it took would be lost otherwise. */
    @Nullable
    ClaimRequest claim() {
        return claim;
    }

    /** The next moves to send in one call; none if all are answered. */
    List<Transition> next() {
        return Outbox.oneCall(moves.subList(given, moves.size()));
    }

    /** Notes that the store has answered so many. */
    void answered(int number) {
        given += number;
    }
}
