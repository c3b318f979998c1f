/**
 * The command line: one class per command, and the few things that all of them share.
 *
 * <p>{@link dev.semel.cli.Main} reads the arguments, finds the command and runs it. A command describes itself by a
 * {@code CommandSpec} that is written out by hand rather than by annotations: nothing is looked up by reflection, and only
 * the command that was asked for is built, because a {@code submit} lives for a third of a second and most of that is the
 * start of the program.
 *
 * <p>Three rules hold for every command. All values are checked before the store is opened, so bad input leaves nothing
 * behind, not even an empty file. What a person reads and what {@code --json} prints are made from the same objects. A
 * command throws what goes wrong; {@code Failure} alone turns it into a message, a JSON object and an exit code.
 *
 * <p>What a command says is its answer and goes to standard output, errors with {@code --json} included: a program reads
 * one stream and finds exactly one object (for {@code worker}, one for each line) on it. Standard error is for people.
 */
@NullMarked
package dev.semel.cli;

import org.jspecify.annotations.NullMarked;
