package dev.semel.storetests;

import dev.semel.guard.GuardStore;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Nested;

/** The whole contract of a {@link GuardStore} as one test class; its parts are nested classes. */
public abstract class GuardStoreContract {

    /** For subclasses. */
    protected GuardStoreContract() {}

    /**
     * Opens a fresh, empty store.
     *
     * @param clock the store's notion of now; a store on a server has the server's, and ignores it
     * @return the store
     */
    protected abstract GuardStore open(InstantSource clock);

    /**
     * Opens a second handle on the data of the store that was opened last, as another process would.
     *
     * @return the handle
     */
    protected abstract GuardStore openAnother();

    /**
     * Lets time pass by the store's clock: moves the clock, unless the store is on a server. Then override this, and wait
     * until so much time has passed on the server.
     *
     * @param clock the clock that the store was opened with
     * @param time how much
     */
    protected void pass(ManualClock clock, Duration time) {
        clock.advance(time);
    }

    /** The laws, one by one. */
    @Nested
    class Laws extends GuardLawContract {

        @Override
        protected GuardStore open(InstantSource clock) {
            return GuardStoreContract.this.open(clock);
        }

        @Override
        protected GuardStore openAnother() {
            return GuardStoreContract.this.openAnother();
        }

        @Override
        protected void pass(ManualClock clock, Duration time) {
            GuardStoreContract.this.pass(clock, time);
        }
    }

    /** What a closed store answers. */
    @Nested
    class Closing extends GuardCloseContract {

        @Override
        protected GuardStore open(InstantSource clock) {
            return GuardStoreContract.this.open(clock);
        }
    }

    /** What a guard makes of them. */
    @Nested
    class Guarding extends GuardUseContract {

        @Override
        protected GuardStore open(InstantSource clock) {
            return GuardStoreContract.this.open(clock);
        }

        @Override
        protected GuardStore openAnother() {
            return GuardStoreContract.this.openAnother();
        }
    }
}
