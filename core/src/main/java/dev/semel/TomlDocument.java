package dev.semel;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.dataformat.toml.TomlMapper;
import tools.jackson.dataformat.toml.TomlReadFeature;

/**
 * A TOML file as plain maps, lists, strings, numbers and booleans, with the line of each name.
 *
 * <p>The parser reports where a file is malformed, but not where it found a value. A line is searched only to report an
 * error: it is the first line such that the file, parsed up to this line, contains the name.
 */
final class TomlDocument {

    /** The maximum size of a file: 1 MiB. */
    static final int MOST_BYTES = 1 << 20;

    // Dates are distinguished from strings, so that a date in the place of a string is a wrong type.
    private static final TomlMapper MAPPER =
            TomlMapper.builder().enable(TomlReadFeature.PARSE_JAVA_TIME).build();
    private static final Pattern NAME = Pattern.compile("\\s*(?:\\[\\[?([^\\]\\n]+)\\]|([^=#\\n]+?)\\s*=).*");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_.\"' -]+");
    private static final String GIVEN_TWICE = "Duplicate key";
    private static final String TABLE_TWICE = "Table redefined";

    private final Path file;
    private final String text;
    private final int[] ends;
    private final Map<?, ?> root;

    private TomlDocument(Path file, String text) {
        this.file = file;
        this.text = text;
        this.ends = ends(text);
        try {
            this.root = parsed(text);
        } catch (JacksonException e) {
            throw malformed(e);
        }
    }

    static TomlDocument read(Path file) {
        return new TomlDocument(file, decoded(file, bytes(file)));
    }

    Map<?, ?> root() {
        return root;
    }

    /** Returns an error about a name or its value. */
    InvalidInput wrong(List<String> path, String what) {
        return new InvalidInput(place(file, line(path)) + ", " + Limits.shown(String.join(".", path)) + ": " + what);
    }

    private static InvalidInput wrong(Path file, String what) {
        return new InvalidInput("The configuration file \"" + file + "\" " + what);
    }

    private static String place(Path file, int line) {
        return "Configuration file \"" + file + "\", line " + line;
    }

    private static byte[] bytes(Path file) {
        if (Files.isDirectory(file)) {
            throw wrong(file, "is a directory. Name a file in it.");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw wrong(
                        file,
                        "has more than " + MOST_BYTES
                                + " bytes, which is the maximum. Check that it is the right file.");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw wrong(file, "does not exist. Check its name.");
        } catch (IOException e) {
            throw wrong(
                    file, "cannot be read (" + e + "). Give this user permission to read it, or name another file.");
        }
    }

    private static String decoded(Path file, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
        out.flip();
        if (result.isError()) {
            int line = ends(out.toString()).length;
            throw new InvalidInput(place(file, line) + ": a configuration file is UTF-8, but got byte \""
                    + String.format("%02X", bytes[in.position()]) + "\", which is not valid UTF-8. Convert the file.");
        }
        return out.toString();
    }

    private static Map<?, ?> parsed(String text) {
        return MAPPER.readValue(text, Map.class);
    }

    private InvalidInput malformed(JacksonException e) {
        String said = e.getOriginalMessage();
        boolean twice = said.equals(GIVEN_TWICE);
        if (twice || said.equals(TABLE_TWICE)) {
            // The parser reports a duplicate only after it has read past it.
            int line = firstLineThatFails(said);
            return new InvalidInput(
                    place(file, line) + name(line) + ": a " + (twice ? "name" : "table")
                            + " is given once, but it occurs a second time. Merge the two.",
                    e);
        }
        var location = e.getLocation();
        int line = location == null ? ends.length : Math.clamp(location.getLineNr(), 1, ends.length);
        return new InvalidInput(
                place(file, line) + name(line) + ": a configuration file is TOML, but this line is not valid: " + said
                        + ". See https://toml.io for the syntax; strings are in quotation marks.",
                e);
    }

    private int firstLineThatFails(String said) {
        int good = 0;
        int bad = ends.length;
        while (bad - good > 1) {
            int middle = (good + bad) >>> 1;
            if (said.equals(failure(middle))) {
                bad = middle;
            } else {
                good = middle;
            }
        }
        return bad;
    }

    private @Nullable String failure(int lines) {
        try {
            parsed(upTo(lines));
            return null;
        } catch (JacksonException e) {
            return e.getOriginalMessage();
        }
    }

    /** Returns the name at the beginning of a line, for a message; never its value, which may be a password. */
    private String name(int line) {
        Matcher name = NAME.matcher(
                text.substring(line == 1 ? 0 : ends[line - 2], ends[line - 1]).strip());
        if (!name.matches()) {
            return "";
        }
        String table = name.group(1);
        if (table == null && !KEY.matcher(name.group(2)).matches()) {
            return ""; // a URL without quotation marks, with an = in its password
        }
        return ", " + Limits.shown((table == null ? name.group(2) : table).strip());
    }

    private int line(List<String> path) {
        int without = 0;
        int with = ends.length;
        while (with - without > 1) {
            int middle = (without + with) >>> 1;
            // The file does not parse if it is cut inside a multi-line value: then the nearest line where it does, on
            // either side.
            OptionalInt whole = nearestWhole(middle, without, with);
            if (whole.isEmpty()) {
                break;
            }
            if (has(upTo(whole.getAsInt()), path)) {
                with = whole.getAsInt();
            } else {
                without = whole.getAsInt();
            }
        }
        return without + 1;
    }

    private OptionalInt nearestWhole(int middle, int without, int with) {
        for (int lines = middle; lines > without; lines--) {
            if (failure(lines) == null) {
                return OptionalInt.of(lines);
            }
        }
        for (int lines = middle + 1; lines < with; lines++) {
            if (failure(lines) == null) {
                return OptionalInt.of(lines);
            }
        }
        return OptionalInt.empty();
    }

    private static boolean has(String text, List<String> path) {
        Object at = parsed(text);
        for (String name : path) {
            if (!(at instanceof Map<?, ?> table) || !table.containsKey(name)) {
                return false;
            }
            at = table.get(name);
        }
        return true;
    }

    private String upTo(int lines) {
        return text.substring(0, ends[lines - 1]);
    }

    /** Returns the end of each line, including its line break. */
    private static int[] ends(String text) {
        List<Integer> ends = new ArrayList<>();
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
            ends.add(at + 1);
        }
        ends.add(text.length());
        return ends.stream().mapToInt(Integer::intValue).toArray();
    }
}
