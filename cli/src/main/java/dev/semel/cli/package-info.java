/**
 * The command line: one class per command, and the classes that they share.
 *
 * <p>{@link dev.semel.cli.Main} reads the arguments, finds the command and runs it. A command describes itself by a
 * {@code CommandSpec} built in code rather than by annotations: nothing is looked up by reflection, and only the
 * requested command is built. A {@code submit} takes a third of a second, most of which is the start of the program.
 *
 * <p>Three rules hold for every command. All values are checked before the store is opened, so bad input leaves nothing
 * behind, not even an empty file. The text for people and the output of {@code --json} are made from the same objects.
 * A command reports errors by exceptions; {@code Failure} alone turns them into a message, a JSON object and an exit
 * code.
 *
 * <p>The answer of a command goes to standard output, and with {@code --json} errors do as well: a program reads one
 * stream with exactly one object (for {@code worker}, one per line). Standard error is for people.
 */
@NullMarked
package dev.semel.cli;

import org.jspecify.annotations.NullMarked;
