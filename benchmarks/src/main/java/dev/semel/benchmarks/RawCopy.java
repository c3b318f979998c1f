package dev.semel.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Rows in the binary format of {@code COPY}, which logs whole pages and does not check for conflicts. */
final class RawCopy {

    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0};

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 17);
    private final DataOutputStream out = new DataOutputStream(bytes);
    private final int columns;

    private interface Part {
        void write(DataOutputStream out) throws IOException;
    }

    RawCopy(int columns) {
        this.columns = columns;
        write(to -> {
            to.write(SIGNATURE);
            to.writeInt(0); // no flags
            to.writeInt(0); // no extension of the header
        });
    }

    private RawCopy write(Part part) {
        try {
            part.write(out);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RawCopy row() {
        return write(to -> to.writeShort(columns));
    }

    RawCopy with(byte[] value) {
        return write(to -> {
            to.writeInt(value.length);
            to.write(value);
        });
    }

    RawCopy with(long value) {
        return write(to -> {
            to.writeInt(Long.BYTES);
            to.writeLong(value);
        });
    }

    RawCopy with(int value) {
        return write(to -> {
            to.writeInt(Integer.BYTES);
            to.writeInt(value);
        });
    }

    void send(Connection connection, String sql) throws SQLException {
        write(to -> to.writeShort(-1));
        CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
        try {
            byte[] all = bytes.toByteArray();
            copy.writeToCopy(all, 0, all.length);
            copy.endCopy();
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }
}
