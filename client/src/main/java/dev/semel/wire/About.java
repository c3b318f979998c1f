package dev.semel.wire;

/**
 * What a server says about itself and its store.
 *
 * @param protocol the version of the protocol that it speaks
 * @param concurrentSubmissions how many submissions at once are worthwhile
 */
public record About(int protocol, int concurrentSubmissions) {

    static final Form<About> FORM = Form.object(
            (out, about) -> out.beginObject()
                    .member("protocol", about.protocol())
                    .member("concurrent_submissions", about.concurrentSubmissions())
                    .endObject(),
            in -> new About(in.integer("protocol"), in.integer("concurrent_submissions")));
}
