/**
 * The guard on object storage: an object for each change of a key's state, each created if absent.
 *
 * <p><b>A chain for each key.</b> The objects of a key are numbered, and the highest number is its state. To change the state is
 * to create the next number; of several that try, one does, and the others read again. Nothing is replaced.
 *
 * <p><b>A list is only a hint.</b> It may be up to an hour old. From the newest object that it shows, the numbers above are
 * read one by one until there is none. A key that the list does not show at all begins a chain whose first name is that of the
 * current day. That name is read first, and two calls that both find nothing meet there; in the first hour of a day the first
 * name of the day before is read as well.
 *
 * <p><b>Old knowledge.</b> A process that was frozen could create a number above objects that were cleaned long ago. Therefore
 * every object says until when it may be stored ({@code not_after}: an hour after its author has read what it builds on), and it
 * counts only if the service's own time of storing is not later. That is a property of the object alone, and every reader sees the same.
 *
 * <p><b>Cleaning</b> ends a chain first, by creating its next number with the status {@code free}, so that nobody can build on
 * what expired. A day later its objects are deleted, in rising order. By then nothing that was read before can count any
 * more, and no later chain uses the names again, so that a deletion may be late or happen twice. Chains of the current day are left alone:
 * the next chain begins on a later day.
 *
 * <p><b>Time</b> is the service's: its date, to the second, with the milliseconds of this machine.
 */
@NullMarked
package dev.semel.s3.guard;

import org.jspecify.annotations.NullMarked;
