/** Tests of the command line: in this process if that is sufficient, otherwise with real child processes. */
package dev.semel.cli;
