package dev.semel.s3.client;

import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The files {@code ~/.aws/credentials} and {@code ~/.aws/config}. Only keys and the region of a profile are read. */
public final class ProfileFiles {

    private final Map<String, String> properties = new HashMap<>();

    private ProfileFiles() {}

    /**
     * Reads a profile.
     *
     * @param surroundings where to look
     * @param profile the name; null for {@code AWS_PROFILE} or {@code default}
     * @return its properties; none if there is no such profile
     */
    public static ProfileFiles read(Surroundings surroundings, @Nullable String profile) {
        String name =
                profile != null ? profile : surroundings.variable("AWS_PROFILE").orElse("default");
        Path directory = surroundings.home().resolve(".aws");
        ProfileFiles files = new ProfileFiles();
        Path config = surroundings.variable("AWS_CONFIG_FILE").map(Path::of).orElse(directory.resolve("config"));
        files.properties.putAll(section(config, name.equals("default") ? "default" : "profile " + name));
        if (name.equals("default")) {
            files.properties.putAll(section(config, "profile default"));
        }
        Path keys = surroundings
                .variable("AWS_SHARED_CREDENTIALS_FILE")
                .map(Path::of)
                .orElse(directory.resolve("credentials"));
        files.properties.putAll(section(keys, name)); // keys of this file win, as everywhere
        return files;
    }

    /**
     * Returns a property of the profile.
     *
     * @param name its name
     * @return the value; empty if it is not set
     */
    public Optional<String> property(String name) {
        return Optional.ofNullable(properties.get(name)).filter(value -> !value.isBlank());
    }

    private static Map<String, String> section(Path file, String wanted) {
        Map<String, String> found = new LinkedHashMap<>();
        if (!Files.isRegularFile(file)) {
            return found;
        }
        try {
            boolean inside = false;
            for (String line : Files.readAllLines(file)) {
                String text = line.strip();
                if (text.startsWith("[") && text.contains("]")) {
                    String title = text.substring(1, text.indexOf(']')).strip().replaceAll("\\s+", " ");
                    inside = title.equals(wanted);
                } else if (inside
                        && !text.startsWith("#")
                        && !text.startsWith(";")
                        && text.contains("=")
                        // An indented line belongs to a nested setting.
                        && !Character.isWhitespace(line.charAt(0))) {
                    int at = text.indexOf('=');
                    found.put(
                            text.substring(0, at).strip(),
                            text.substring(at + 1).strip());
                }
            }
            return found;
        } catch (IOException e) {
            throw new StoreUnusable(
                    "The file \"" + file + "\" could not be read. Make it readable, or set"
                            + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
                    e);
        }
    }
}
