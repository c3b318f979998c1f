package dev.semel.sqlite.capture;

import dev.semel.sqlite.sql.Session;
import dev.semel.store.StoreNews;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** A log in memory that several copies share, each through a gate of its own. */
public final class SharedLog {

    private final List<List<Change>> entries = new ArrayList<>();
    private long time;

    public synchronized List<List<Change>> entries() {
        return List.copyOf(entries);
    }

    /** A clock that is never behind the time of the newest entry. */
    public InstantSource after(InstantSource clock) {
        return () -> {
            synchronized (this) {
                return Instant.ofEpochMilli(Math.max(time, clock.millis()));
            }
        };
    }

    private synchronized boolean append(int number, List<Change> changes, long now) {
        if (entries.size() != number) {
            return false;
        }
        time = Math.max(time, now);
        if (!changes.isEmpty()) {
            entries.add(List.copyOf(changes));
        }
        return true;
    }

    private synchronized List<List<Change>> since(int number) {
        return List.copyOf(entries.subList(number, entries.size()));
    }

    public Gate gate() {
        return new LogGate();
    }

    private final class LogGate implements Gate {

        private Session session;
        private ChangeApplier applier;
        private int number;

        @Override
        public void open(Session catchUp) throws SQLException {
            session = catchUp;
            applier = new ChangeApplier(catchUp);
            catchUp();
        }

        @Override
        public boolean admit(Session open, List<Change> changes, long now) {
            boolean admitted = append(number, changes, now);
            if (admitted && !changes.isEmpty()) {
                number++;
            }
            return admitted;
        }

        @Override
        public StoreNews catchUp() throws SQLException {
            StoreNews news = new StoreNews();
            for (List<Change> entry : since(number)) {
                session.beginImmediate();
                applier.apply(entry, news);
                session.commit();
                number++;
            }
            return news;
        }

        @Override
        public void close() {
            try {
                session.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
