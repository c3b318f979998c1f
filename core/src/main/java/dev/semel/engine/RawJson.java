package dev.semel.engine;

/**
 * JSON text that is not converted. Use it as the input or output class of a task type whose data the program does not
 * inspect.
 *
 * @param text the JSON text
 */
public record RawJson(String text) {

    /** {@return the length of the document, without its text} */
    @Override
    public String toString() {
        return "RawJson[" + text.length() + " characters]";
    }
}
