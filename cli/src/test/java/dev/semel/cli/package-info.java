/** Tests of the command line: in this process where that shows enough, with real child processes where it does not. */
package dev.semel.cli;
