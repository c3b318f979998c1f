package dev.semel.server.store;

import dev.semel.store.Operation;
import dev.semel.task.SemelException;
import dev.semel.wire.Calls;
import java.util.List;
import java.util.stream.Collectors;

/** What the audit log says about a call of the wire: what was operated on, without settings and reasons. */
final class OperationText {

    private static final int SHOWN = 100;

    private OperationText() {}

    static String of(StoreCall call, byte[] body) {
        if (!call.name().equals(Calls.OPERATE.name())) {
            return "";
        }
        try {
            List<Operation> operations = Calls.OPERATE.readRequest(body);
            return operations.stream().limit(SHOWN).map(OperationText::of).collect(Collectors.joining(", "))
                    + (operations.size() > SHOWN ? " and " + (operations.size() - SHOWN) + " more" : "");
        } catch (SemelException e) {
            return "unreadable";
        }
    }

    private static String of(Operation operation) {
        return switch (operation) {
            case Operation.Cancel cancel -> "cancel " + cancel.taskId();
            case Operation.Redrive redrive -> "redrive " + redrive.taskId();
            case Operation.Restart restart -> "restart " + restart.taskId();
            case Operation.ReleaseKey release -> "release the key of " + release.taskId();
            case Operation.Erase erase -> "erase " + erase.taskId();
            case Operation.Resolve resolve -> "resolve " + resolve.effect();
            case Operation.ChangeSchedule change -> "change schedule " + change.id();
            case Operation.DeclareQueue declare -> "declare queue " + declare.queue();
            case Operation.SetQueue set -> "set queue " + set.queue();
            case Operation.ResetQueue reset -> "reset queue " + reset.queue();
        };
    }
}
