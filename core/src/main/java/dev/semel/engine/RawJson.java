package dev.semel.engine;

/**
 * JSON that is passed on as it is: as the input or output class of a task type whose data the program does not look into.
 *
 * @param text the JSON text
 */
public record RawJson(String text) {}
