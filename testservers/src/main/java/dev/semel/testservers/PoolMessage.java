package dev.semel.testservers;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A message of PostgreSQL's wire protocol: its first byte, and the body after its length. */
final class PoolMessage {

    private final char kind;
    private final byte[] body;

    PoolMessage(char kind, byte[] body) {
        this.kind = kind;
        this.body = body;
    }

    char kind() {
        return kind;
    }

    byte[] body() {
        return body;
    }

    static PoolMessage read(DataInputStream in) throws IOException {
        char kind = (char) in.readUnsignedByte();
        int length = in.readInt() - Integer.BYTES;
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new IOException("The connection ended within a message");
        }
        return new PoolMessage(kind, body);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeByte(kind);
        out.writeInt(body.length + Integer.BYTES);
        out.write(body);
    }

    /** Returns the text that starts at an offset of the body and ends with a zero byte. */
    String textAt(int offset) {
        return new String(body, offset, endOfText(offset) - offset, StandardCharsets.UTF_8);
    }

    /** Returns the position of the zero byte after the text that starts at an offset. */
    int endOfText(int offset) {
        int end = offset;
        while (body[end] != 0) {
            end++;
        }
        return end;
    }

    /** Returns the same message with another text at an offset. */
    PoolMessage withTextAt(int offset, String text) {
        ByteArrayOutputStream changed = new ByteArrayOutputStream(body.length + text.length());
        changed.write(body, 0, offset);
        changed.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        int end = endOfText(offset);
        changed.write(body, end, body.length - end);
        return new PoolMessage(kind, changed.toByteArray());
    }
}
