/**
 * Contracts that need other processes: real children that are killed, run out of memory, or have little of it. A test class extends
 * a contract and says where a new store is and how a process opens it ({@link dev.semel.storetests.process.StoreOpener}).
 *
 * <p>They are for stores that outlive a process. A store in memory has nothing to show here.
 */
@NullMarked
package dev.semel.storetests.process;

import org.jspecify.annotations.NullMarked;
