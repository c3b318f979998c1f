package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The source repository, found from the module's directory upwards. */
final class Repository {

    private static final Set<String> NOT_OURS = Set.of("target", ".git", ".idea");

    private Repository() {}

    static Path root() {
        Path place = Path.of("").toAbsolutePath();
        while (place != null && !Files.exists(place.resolve("mvnw"))) {
            place = place.getParent();
        }
        assertThat(place)
                .as("a directory with mvnw in it, from %s upwards", Path.of("").toAbsolutePath())
                .isNotNull();
        return place;
    }

    /** Returns all pages in a fixed order. */
    static List<Page> pages() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NOT_OURS.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().endsWith(".md")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        List<Page> pages = new ArrayList<>();
        for (Path file : files.stream().sorted().toList()) {
            pages.add(Page.read(root(), file));
        }
        assertThat(pages).as("pages under %s", root()).isNotEmpty();
        return pages;
    }
}
