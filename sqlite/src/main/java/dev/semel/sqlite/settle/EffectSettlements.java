package dev.semel.sqlite.settle;

import dev.semel.sqlite.table.EffectRows;
import dev.semel.sqlite.table.TaskRow;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredEffect;
import dev.semel.task.AttemptId;
import java.sql.SQLException;

/**
 * Settlements about effects. What each does is decided by {@link StoredEffect}. The first intent of an effect, which nearly all
 * are, is one statement that is its own fence; an outcome is two.
 */
final class EffectSettlements {

    private EffectSettlements() {}

    static Settled intend(Transaction tx, Settlement.Intend settlement) throws SQLException {
        AttemptId attempt = settlement.lease().attemptId();
        StoredEffect.Change<Settled> first = StoredEffect.intend(null, settlement, tx.nowInstant());
        StoredEffect fresh = first.next();
        if (fresh != null && EffectRows.insert(tx, fresh)) {
            return first.answer();
        }
        EffectRows.Look look = EffectRows.look(tx, settlement.effect(), attempt);
        if (look.runs()) {
            return EffectRows.save(tx, StoredEffect.intend(look.effect(), settlement, tx.nowInstant()));
        }
        return TaskRow.standing(tx.session(), attempt);
    }

    static Settled refer(Transaction tx, Settlement.Refer settlement) throws SQLException {
        AttemptId attempt = settlement.lease().attemptId();
        EffectRows.Look look = EffectRows.look(tx, settlement.effect(), attempt);
        return look.runs()
                ? EffectRows.save(tx, StoredEffect.refer(look.effect(), settlement))
                : TaskRow.standing(tx.session(), attempt);
    }

    static Settled conclude(Transaction tx, Settlement.Conclude settlement) throws SQLException {
        EffectRows.Look look =
                EffectRows.look(tx, settlement.effect(), settlement.lease().attemptId());
        return EffectRows.save(tx, StoredEffect.conclude(look.effect(), settlement, look.runs(), tx.nowInstant()));
    }

    /** Records that a task parks because of an effect; returns whether it has to wait. */
    static boolean park(Transaction tx, Settlement.Park settlement) throws SQLException {
        StoredEffect parked = StoredEffect.parked(
                EffectRows.look(tx, settlement.effect(), settlement.lease().attemptId())
                        .effect(),
                settlement);
        if (parked != null) {
            EffectRows.save(tx, parked);
        }
        return parked != null;
    }
}
